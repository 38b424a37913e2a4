import gzip
import sqlite3
from dataclasses import replace

import pytest

from support.errors import DamagedFile, MissingData
from support.models import Cache
from support.models.request import Completion, Request

REQUEST = Request(
    "m",
    "https://e.org/v1",
    (("user", "Who? ü"),),
    '{"type":"object"}',
    0.0,
    None,
    64,
    0,
)
COMPLETION = Completion("P1 ü", 7, 3, "stop", 0.25)


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "study.sqlite")


def lines_of(path):
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def test_the_key_of_a_plain_request_does_not_drift_and_options_are_part_of_it():
    asked = replace(REQUEST, options='{"k": 1}')
    assert (
        REQUEST.key == replace(REQUEST, temperature=0).key != asked.key
        and "options" not in REQUEST.to_json()
    )
    assert (
        REQUEST.key
        == "0cf261f00e621bf3107fef6853f0f9c56cefd9c6cfb5614a13837ac78aaa5493"
    )


def test_the_first_answer_is_kept_and_an_export_read_elsewhere_gives_the_same_bytes(
    cache, tmp_path
):
    kept = replace(COMPLETION, thinking="Well.", cached_prompt_tokens=5, model="m-2")
    asked = [replace(REQUEST, repetition=number) for number in (4, 0, 2, 5, 1, 3)]
    assert cache.put(asked[0], kept) == kept == cache.get(asked[0])
    for number, request in enumerate(asked[1:]):
        cache.put(request, replace(COMPLETION, latency=float(number)))
    late = replace(COMPLETION, text="P2")
    assert Cache(cache.path).put(REQUEST, late).text == cache.get(REQUEST).text
    first, again, hidden = (tmp_path / name for name in ("first", "again", "hidden"))
    other = Cache(tmp_path / "other.sqlite")
    assert cache.export(first) == 6
    assert (other.load(first), other.load(first), other.export(again)) == (6, 0, 6)
    assert again.read_bytes() == first.read_bytes()
    assert other.get(asked[0]) == replace(kept, latency=0.0)
    other.export(hidden, prompts=False)
    assert "Who" not in str(lines_of(hidden))
    assert Cache(tmp_path / "third.sqlite").load(hidden) == 6
    with pytest.raises(MissingData, match=r"1 of the 1 replies.*'beef'"):
        cache.export(tmp_path / "none", keys=["beef"])
    assert not (tmp_path / "none").exists()


DAMAGES = [
    ("Who?", "Why?"),
    ('{"key', "no"),
    ('"seed"', '"sad"'),
    ('"text"', '"t"'),
    None,
    b"x",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_named_and_nothing_is_taken_from_it(cache, tmp_path, damage):
    for repetition in range(50):
        cache.put(replace(REQUEST, repetition=repetition), COMPLETION)
    path, other = tmp_path / "run.gz", Cache(tmp_path / "other.sqlite")
    cache.export(path)
    first, second, *_ = lines_of(path)
    content, where = damage or path.read_bytes()[:-40], ""
    if isinstance(damage, tuple):
        where = "line 2"
        content = gzip.compress(f"{first}\n{second.replace(*damage)}".encode())
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match=rf"run\.gz is damaged: {where}"):
        other.load(path)
    assert len(other) == 0
    with sqlite3.connect(cache.path) as db:
        db.execute(
            "UPDATE replies SET reply = ?", ("no JSON" if damage is None else "[]",)
        )
    with pytest.raises(
        DamagedFile, match=r"study\.sqlite.*a row of it cannot be read.*Cache\.load"
    ):
        cache.get(REQUEST)
