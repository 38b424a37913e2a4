"""The key appears nowhere: a run with faults, at an endpoint that quotes the key in all it says, leaves no trace of it.

What the run leaves is gathered as bytes (files, logs, outputs, texts of errors), and searched.
"""

import asyncio
import contextlib
import gzip
import io
import logging
import pickle
import traceback
from contextlib import closing

import debate
import pytest
from IPython.core.ultratb import VerboseTB
from matplotlib.figure import Figure

from support.errors import ConveneError
from support.models import connect
from support.models.calls import collected
from support.models.replies import Cache
from support.plots.figure import save
from support.runs.frames import export
from support.runs.study import Store

UNITS, SHARE = 8, 0.45
KEYS = {  # by the way it is given; one is of OpenAI's form
    "variable": "sk-proj-Zq7xK2mWv9LtRb4NcYd8",
    "argument": "9f3b7c1e5a8d4026.XyLWbn31KqvTz",
}
LOGS = "DEBUG of all loggers"
PATIENCE = {
    "repairs": 0,
    "max_retries": 1,
    "timeout": 0.7,
    "failures_in_a_row": 500,
    "concurrency": 16,
}


def left(way, faulty, folder):
    """What a run leaves: name to bytes."""
    url, key = faulty.url(f"echo-{way}", SHARE, 5), KEYS[way]
    with pytest.MonkeyPatch.context() as patch, listening() as heard:
        patch.setenv("OPENAI_LOG", "debug")
        patch.setenv("CONVENE_OUTPUT", str(folder))
        given = {"api_key": key}
        if way == "variable":
            patch.setenv("OPENAI_API_KEY", key)
            given = {"api_key": None}
        debate.run(folder / "study.sqlite", url, UNITS, **PATIENCE, **given)
        traces = files(folder) | errors(url, PATIENCE | given) | figure(url, given)
    return {**traces, LOGS: heard.getvalue().encode()}


@contextlib.contextmanager
def listening():
    """All that is logged, at the lowest level, and printed."""
    heard, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(heard), root.level
    names = "openai httpx2 httpcore aiohttp asyncio support"
    known = [logging.getLogger(name) for name in names.split()]
    before = [logger.level for logger in known]
    root.addHandler(handler)
    for logger in (root, *known):
        logger.setLevel(logging.DEBUG)
    try:
        with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
            yield heard
    finally:
        root.removeHandler(handler)
        for logger, was in zip((root, *known), (level, *before), strict=True):
            logger.setLevel(was)


def files(folder):
    """The study's file as it lies while it is open, its exports, its recording and its calls."""
    path = folder / "study.sqlite"
    with closing(Store(path)) as store, closing(Cache(path)) as cache:
        units = list(debate.sweep(UNITS).units())
        record = next(filter(None, map(store.record, units)))
        store.save("said", record, {})  # fills the log
        found = {file.name: file.read_bytes() for file in folder.glob("study.sqlite*")}
        for format in ("csv", "parquet"):
            place = folder / format
            made = export(debate.sweep(UNITS), store, place, format, prompts=True)
            found |= {f"{format}/{file.name}": file.read_bytes() for file in made}
        cache.export(folder / "replies.jsonl.gz")
        found["recording"] = gzip.decompress((folder / "replies.jsonl.gz").read_bytes())
        calls = [call for unit in units for call in store.calls(unit)]
        found["calls"] = b"".join(pickle.dumps(call) for call in calls)
    assert any(call.faults for call in calls) and any(call.error for call in calls)
    return found


def errors(url, given):
    """Every error of a series of calls, told in every way, with what a curious printer finds in its frames."""
    model, told = connect("m", base_url=url, **given), {}

    async def ask(number):
        with collected() as calls:
            asked = model.reply(f"question {number}", debate.Turn, max_tokens=40)
            try:
                return await asked, calls
            except ConveneError as error:
                return error, calls

    async def all_of_them():
        return await asyncio.gather(*(ask(number) for number in range(24)))

    for number, (outcome, calls) in enumerate(asyncio.run(all_of_them())):
        told[f"calls of question {number}"] = pickle.dumps(calls)
        if isinstance(outcome, ConveneError):
            name = f"{type(outcome).__name__} {outcome.fault} {number}"
            told[name] = as_told(outcome)
        else:
            told[f"reply {number}"] = f"{outcome!r} {outcome.tokens}".encode()
    about = f"{model!r} {vars(model)} {vars(model._transport)}"
    return {**told, "models": about.encode()}


def as_told(error):
    """An error and all that hangs on it, as text and as its frames' variables, as a notebook shows them on request."""
    parts = [
        repr(error),
        str(error),
        repr(vars(error)),
        VerboseTB().text(type(error), error, error.__traceback__),
    ]
    while error is not None:
        told = traceback.TracebackException.from_exception(error, capture_locals=True)
        parts += [*told.format(), *traceback.format_exception(error)]
        error = error.__cause__ or error.__context__
    return "\n".join(parts).encode()


def figure(url, given):
    """A figure that names its model as the one who took part."""
    model, drawn = connect("m", base_url=url, **given), Figure()
    drawn.subplots().plot([1, 2])
    who = {"parameters": {}, "participants": model.name, "seed": 1}
    folder = save(drawn, "key", "drawn", who).parent
    return {f"figure {file.suffix}": file.read_bytes() for file in folder.iterdir()}


LEFT = """study.sqlite study.sqlite-wal csv/units.csv parquet/units.parquet recording
figure|.png figure|.svg figure|.pdf figure|.json"""


@pytest.mark.parametrize("way", KEYS)
def test_a_run_with_faults_leaves_no_trace_of_the_key(faulty, tmp_path, way):
    traces = left(way, faulty, tmp_path)
    secret = KEYS[way].encode()
    assert not [name for name, found in traces.items() if secret in found]
    # And what was searched is what a run leaves: what the endpoint said is there, and
    # what is logged at level DEBUG.
    assert {name.replace("|", " ") for name in LEFT.split()} <= set(traces)
    assert b"[key]" in traces["calls"] and b"Using selector" in traces[LOGS]
    assert b"not now" in traces["study.sqlite"] + traces["study.sqlite-wal"]
    kinds = {name.split()[0] for name in traces if name[0].isupper()}
    assert {"CallFailed", "MalformedReply"} <= kinds
    assert b"429" in b"".join(traces.values())
