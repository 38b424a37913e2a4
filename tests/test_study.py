"""The front door: the same groups in every condition, forks as a study, a plan before results, a package that verifies."""

import asyncio
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from scipy.stats import ttest_rel

from support import Study
from support.errors import InvalidInput
from support.models import serving
from support.models.stand_ins import stand_in

PLAN = '[expect.{}]\nvalue = "worth"\nby = "rule"\na = "b"\nb = "a"\n{}\n'


async def draws(rng, rule, repetition=0):
    """A study of one's own: b has two more than a, in every group but for a little."""
    return {"worth": repetition + (2.0 + 0.1 * rng.random() if rule == "b" else 0.0)}


def own(store, name="own", groups=9, **varied):
    return Study(
        name, draws, store=store, groups=groups, **{"rule": ["a", "b"], **varied}
    )


def table(store, groups=3, rule="majority", seats="linear", **more):
    more = {"rounds": 4, "seed": 1, **more}
    how = {"groups": groups, "rule": rule, "seats": seats, "store": store}
    return Study("table", "exchange_economy", **how, **more)


def run(study, **how):
    return asyncio.run(study.run(progress=False, **how))


def records(study):
    return [record for _, record in study.sweep.records(study.store)]


def test_a_study_as_a_researcher_writes_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(
        PLAN.format("early", "least = 5").replace("worth", "utility@3")
        .replace('"a"', '"majority"').replace('"b"\nb', '"ranked"\nb')
    )  # fmt: skip

    async def researcher():
        mixed_table = {"Ana": "model:o4-mini", "Ben": "linear", "Cleo": "linear"}
        study = Study("first", "exchange_economy",
                      rule=["majority", "ranked"],
                      seats=["mixed", "model:gpt-4o-mini", mixed_table],
                      groups=2, seed=1, rounds=4)  # fmt: skip
        study.register("plan.toml")
        estimated = await study.estimate()
        await study.run(budget=5)
        forked = await study.fork(after=3, rule="ranked").run()
        compared = study.compare("utility@3", by="rule")
        return study, forked, compared, estimated, study.package("first.zip")

    with serving(make=lambda name: stand_in(name=name)):
        study, forked, compared, estimated, package = asyncio.run(researcher())
    assert set(estimated["model"]) == {"gpt-4o-mini", "o4-mini"}
    assert len(study.table) == 12 and compared["n_a"].tolist() == [2]
    [effect] = forked.compare("utility@10", by="then").to_dict("records")
    assert (effect["a"], effect["b"]) == ("rule ranked", "as it was")
    assert study.verdicts().index.tolist() == ["early"]
    folder = tmp_path / "unpacked"
    zipfile.ZipFile(package).extractall(folder)
    command = [sys.executable, folder / "verify.py"]
    verified = subprocess.run(command, capture_output=True, check=True, text=True)
    assert len(verified.stdout.splitlines()) == 4  # units, runs, calls, records
    runs = folder / "runs.csv"
    runs.write_text(runs.read_text().replace("True", "False", 1))
    tampered = subprocess.run(command, capture_output=True, text=True)
    assert "runs.csv is not what the records give" in tampered.stderr


def test_a_comparison_is_a_paired_t_test_in_which_a_group_counts_once(store):
    study = run(own(store))
    [row] = study.compare("worth", "rule").to_dict("records")
    wide = study.table.pivot(index="repetition", columns="rule", values="worth")
    test = ttest_rel(wide["a"], wide["b"])
    assert (row["t"], row["p"]) == pytest.approx((test.statistic, test.pvalue))
    talk = run(table(store))
    futures = run(talk.fork(after=1, futures=2, silent=["Ana", ["Ana", "Ben"]]))
    assert len(futures.table) == 3 * 2 * 3
    compared = futures.compare("utility@4", "then", reference="as it was")
    assert compared["n_a"].tolist() == [3, 3]
    assert compared["a"].tolist() == ["silent Ana", "silent Ana and Ben"]


def test_every_condition_has_the_same_groups(store):
    varied = {"rule": ["majority", "ranked"], "prompts": ["plain", "guided"]}
    rules = run(table(store, seats=["linear", "mixed"], **varied))
    first = {}
    for unit, record in rules.sweep.records(store):
        key = unit.settings["seats"], unit.repetition
        first.setdefault(key, set()).add(str(record.rounds[0].messages))
    assert len(first) == 6 and all(len(texts) == 1 for texts in first.values())


def test_as_it_was_is_what_is_stored_and_each_group_has_an_effect_of_its_own(store):
    study = run(table(store, rule="unanimous"))
    forked = run(study.fork(after=1, rule="ranked"))
    changed, same = records(forked)[:3], records(forked)[3:]
    assert [one.rounds for one in same] == [one.rounds for one in records(study)]
    effects = [len(str(one.rounds)) for one in changed]
    assert len(set(effects)) == 3
    futures = run(study.fork(after=1, rule="ranked", futures=2))
    texts = {str([m.text for m in one.rounds[1].messages]) for one in records(futures)}
    assert len(texts) == 6  # of three groups in two futures, the same under both rules


KILLED = """
import asyncio, os, sys
sys.path.insert(0, sys.argv[2])
from support.roundtable import table
from test_study import Study

study = Study("table", "exchange_economy", groups=3, rule="unanimous", seats="linear", rounds=4, store=sys.argv[1])
asyncio.run(study.run(progress=False))
count, play = 0, table.Table.play
async def dying(self, number):
    global count
    count += 1
    if count > 14: os._exit(9)
    return await play(self, number)
table.Table.play = dying
asyncio.run(study.fork(after=1, rule="ranked", futures=2).run(progress=False, concurrency=1))
"""


def test_a_fork_that_is_killed_goes_on_to_the_same_end(store, tmp_path):
    path = tmp_path / "killed.sqlite"
    command = [sys.executable, "-c", KILLED, path, Path(__file__).parent]
    assert subprocess.run(command).returncode == 9
    ended = []
    for file in (path, store):
        forked = table(file, rule="unanimous").fork(after=1, rule="ranked", futures=2)
        if file is store:
            run(table(file, rule="unanimous"))
        left = forked.sweep.missing(forked.store)
        ended.append((left, records(run(forked))))
    assert 0 < ended[0][0] < ended[1][0] == 12 and ended[0][1] == ended[1][1]


@pytest.mark.parametrize(
    ("margin", "verdict"),
    [
        ("least = 1", "holds"),
        ("least = -1\nmost = 1", "does not"),
        ("most = 2.05", "too little data"),
    ],
)
def test_a_plan_is_judged_by_the_interval(store, tmp_path, margin, verdict):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format("it", margin))
    study = own(store)
    study.register(plan)
    study.register(plan)
    [row] = run(study).verdicts().to_dict("records")
    assert (row["n"], row["verdict"]) == (9, verdict)
    study.register(plan)  # the same one, as when a script runs again
    plan.write_text(PLAN.format("it", "least = 0.5"))
    with pytest.raises(InvalidInput, match="another plan"):
        study.register(plan)
    with pytest.raises(InvalidInput, match="no plan was registered"):
        own(store, groups=12).verdicts()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[expect", "expected .expect.NAME. with value"),
        ("[expected.a]\nb = 1", "expected .expect.NAME. with value"),
        (PLAN.format("it", "margin = 1"), "expected .expect.NAME. with value"),
        (PLAN.format("it", "").replace('"rule"', '"rules"'), "conditions of rules"),
        (PLAN.format("it", "").replace('b = "a"', 'b = "c"'), "conditions of rule"),
    ],
)
def test_a_plan_that_could_not_be_judged_is_refused(store, tmp_path, text, said):
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(InvalidInput, match=said):
        own(store).register(tmp_path / "plan.toml")


def test_a_plan_comes_before_the_results(store, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN.format("late", "least = 1"))
    with pytest.raises(InvalidInput, match="there are results"):
        run(own(store)).register(tmp_path / "plan.toml")


def test_what_cannot_be_forked_or_played_says_so(store, capsys):
    with pytest.raises(InvalidInput, match="expected one of exchange_economy"):
        Study("s", "economy", groups=1, store=store)
    study = table(store)
    for forked in (study.fork(after=1), run(own(store)).fork(after=1)):
        run(forked)
        assert "a finished discussion of the round table" in capsys.readouterr().out
    run(study)
    run(run(study.fork(after=1)).fork(after=2))
    assert "that is no fork" in capsys.readouterr().out
