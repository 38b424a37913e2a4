"""The front door: the same groups in every condition, forks as a study, a plan before results, a package that verifies."""

import asyncio
import runpy
import zipfile
from unittest.mock import patch

import pytest
from scipy.stats import ttest_rel

from support import Rule, Study
from support.errors import DamagedFile, InvalidInput
from support.models import serving
from support.models.stand_ins import stand_in
from support.roundtable.table import Table


def planned(folder, head="expect.it", **changed):
    """A plan of one expectation, in a file."""
    fields = {"value": "worth", "by": "rule", "a": "b", "b": "a", **changed}
    lines = [f"{name} = {value!r}" for name, value in fields.items()]
    plan = folder / "plan.toml"
    plan.write_text("\n".join([f"[{head}]", *lines]))
    return plan


class Ours(Rule):
    name, form = "ours", "vote"


async def draws(rng, rule, repetition=0):
    """A study of one's own: b has two more than a, in every group but for a little."""
    more = 2.0 + 0.1 * rng.random() if rule == "b" else 0.0
    return {"worth": repetition + more}


def own(store, groups=9):
    return Study("own", draws, store=store, groups=groups, rule=["a", "b"])


def table(store, rule="unanimous", seats="linear", **more):
    how = {"groups": 3, "rounds": 4, "rule": rule, "seats": seats, "store": store}
    return Study("table", "exchange_economy", **how, **more)


def run(study, **how):
    return asyncio.run(study.run(progress=False, **how))


def records(study):
    return [record for _, record in study.sweep.records(study.store)]


def test_a_study_from_its_plan_to_a_package_that_verifies(store, tmp_path, capsys):
    mixed_table = {"Ana": "model:o4-mini", "Ben": "model:o3", "Cleo": "linear"}
    study = table(store, ["majority", "ranked"], ["mixed", mixed_table])
    conditions = {"a": "ranked", "b": "majority"}
    study.register(planned(tmp_path, value="utility@3", **conditions))
    with serving(make=lambda name: stand_in(name=name)):
        estimated = asyncio.run(study.estimate())
        run(study, budget=5)
        forked = run(study.fork(after=3, rule="ranked"))
    assert set(estimated["model"]) == {"o3", "o4-mini"}
    assert len(study.table) == 12
    assert study.verdicts().index.tolist() == ["it"]
    effect = forked.compare("utility@10", by="then").iloc[0]
    assert effect["a"] == "rule ranked"
    assert effect["b"] == "as it was"

    folder = tmp_path / "unpacked"
    package = study.package(tmp_path / "first.zip")
    zipfile.ZipFile(package).extractall(folder)
    capsys.readouterr()
    runpy.run_path(folder / "verify.py")
    *sums, last = capsys.readouterr().out.splitlines()
    assert len(sums) == 4  # units, runs, calls, records
    assert last == "verified"
    runs = folder / "runs.csv"
    tampered = runs.read_text().replace("True", "False", 1)
    runs.write_text(tampered)
    with pytest.raises(DamagedFile, match=r"runs\.csv is not what the records give"):
        runpy.run_path(folder / "verify.py")


def test_a_comparison_is_a_paired_t_test_in_which_a_group_counts_once(store):
    study = run(own(store))
    row = study.compare("worth", "rule").iloc[0]
    runs = study.table.set_index("rule")["worth"]
    test = ttest_rel(runs["a"], runs["b"])
    assert row["t"] == pytest.approx(test.statistic)
    assert row["p"] == pytest.approx(test.pvalue)
    talk = run(table(store, "majority"))
    silent = ["Ana", ["Ana", "Ben"]]
    forked = run(talk.fork(after=1, futures=2, silent=silent))
    compared = forked.compare("utility@4", "then", reference="as it was")
    assert compared["n_a"].tolist() == [3, 3]


def test_every_condition_has_the_same_groups(store):
    assert table(store).sweep.name == "table"
    prompts = ["plain", "guided"]
    study = run(table(store, [Ours(), "ranked"], prompts=prompts))
    first = [record.rounds[0] for record in records(study)]
    messages = [str(entry.messages) for entry in first]
    assert messages == messages[:3] * 4
    assert len(set(messages)) == 3
    assert study.compare("utility@4", "rule")["n_a"].tolist() == [3]


# ---- what would have been --------------------------------------------------------------------------------------------


def test_as_it_was_is_what_is_stored_and_another_rule_is_an_effect(store):
    study = run(table(store))
    forked = run(study.fork(after=1, rule="ranked"))
    stored = [one.rounds for one in records(study)]
    rounds = [one.rounds for one in records(forked)]
    assert rounds[3:] == stored
    assert not any(one in stored for one in rounds[:3])


class Broken(BaseException):
    """What ends a run, as an interrupt does; but asyncio has no ways of its own with it."""


def test_a_fork_that_breaks_off_goes_on_to_the_same_end(store, tmp_path):
    def forked(file):
        return run(table(file)).fork(after=1, rule="ranked", futures=2)

    whole = run(forked(store))
    broken = forked(tmp_path / "broken.sqlite")
    rounds = iter(range(14))
    play = Table.play

    async def breaking(self, number):
        if next(rounds, None) is None:
            raise Broken
        return await play(self, number)

    with patch.object(Table, "play", breaking), pytest.raises(Broken):
        run(broken, concurrency=1)
    assert 0 < broken.sweep.missing(broken.store) < 12
    run(broken)
    assert records(broken) == records(whole)
    second = [record.rounds[1] for record in records(whole)]
    texts = {str(entry.messages) for entry in second}
    assert len(texts) == 6  # of three groups in two futures, the same under both rules


def fork(**given):
    return lambda study: study.fork(**{"after": 1, **given})


def compare(value="utility@3", by="rule", **given):
    return lambda study: study.compare(value, by=by, **given)


CONDITION, SETTING = (
    "where: .*expected a condition",
    "expected a setting: .*rule, seats",
)
REFUSED = [
    (fork(after=5), "after: 5 given; expected a round from 0 to 4"),
    (fork(rule="ranks"), "expected one of"),
    (fork(mechanism="market"), "expected one of"),
    (fork(silent="Benn"), "expected some of Ana, Ben, Cleo"),
    (fork(without=["Ana", "Zoe"]), "expected some of Ana, Ben, Cleo"),
    (fork(futures=-1), "expected 0 or more"),
    (fork(futures="3"), "expected 0 or more"),
    (fork(seats="conceder"), "expected newcomers by name"),
    (fork(after="2"), "expected the number of a round"),
    (fork(rules="ranked"), "unexpected keyword argument 'rules'"),
    (compare(where="rule = 'ranked'"), CONDITION),
    (compare(where="rules == 'ranked'"), CONDITION),
    (compare(where="rule == 'none'"), CONDITION),
    (compare(by="repetition"), "by: 'repetition' given; expected a setting"),
    (compare(by="decision_round"), SETTING),
    (compare("seats"), "'seats' must hold numbers"),
]


def test_what_cannot_be_forked_or_played_says_so(store, tmp_path):
    with pytest.raises(InvalidInput, match="expected one of exchange_economy"):
        Study("s", "economy", groups=1, store=store)
    with pytest.raises(InvalidInput, match="each condition once"):
        Study("s", "exchange_economy", groups=1, seats=["linear", "linear", "mixed"])
    study, package = table(store), tmp_path / "empty.zip"
    for early in (fork(), compare(), lambda study: study.package(package)):
        with pytest.raises(InvalidInput, match=r"no group .* finished; play it first"):
            early(study)
    assert not package.exists()
    run(study)
    for made in (run(study.fork(after=2)), run(own(store))):
        with pytest.raises(InvalidInput, match=r"a finished discussion .* is no fork"):
            made.fork(after=1)
    for wrong, said in REFUSED:
        with pytest.raises(InvalidInput, match=said):
            wrong(study)


# ---- a plan before the results ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("margin", "verdict"),
    [
        ({"least": 1}, "holds"),
        ({"least": -1, "most": 1}, "does not"),
        ({"most": 2.05}, "too little data"),
    ],
)
def test_a_plan_is_judged_by_the_interval(store, tmp_path, margin, verdict):
    study = own(store)
    study.register(planned(tmp_path, **margin))
    run(study)
    row = study.verdicts().loc["it"]
    assert row["n"] == 9
    assert row["verdict"] == verdict
    study.register(tmp_path / "plan.toml")  # as when a script runs again
    with pytest.raises(InvalidInput, match="another plan"):
        study.register(planned(tmp_path, least=0.5))
    with pytest.raises(InvalidInput, match="no plan was registered"):
        own(store, groups=12).verdicts()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"head": "["}, "expected .expect.NAME. with value"),
        ({"head": "expected.it"}, "expected .expect.NAME. with value"),
        ({"margin": 1}, "expected .expect.NAME. with value"),
        ({"by": "rules"}, "expected conditions of rules"),
        ({"b": "c"}, "expected conditions of rule"),
    ],
)
def test_a_plan_that_could_not_be_judged_is_refused(store, tmp_path, changed, said):
    with pytest.raises(InvalidInput, match=said):
        own(store).register(planned(tmp_path, **changed))


def test_a_plan_comes_before_the_results(store, tmp_path):
    study = run(own(store))
    with pytest.raises(InvalidInput, match="there are results"):
        study.register(planned(tmp_path))
