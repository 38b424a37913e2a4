"""Studies from records, and fitted rules live at the table: the same rounds, the same stop."""

import asyncio
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from support.analysis.conversation import messages_of
from support.analysis.metrics import total_utility
from support.analysis.stopping import building
from support.analysis.stopping.building import performance_of, studies_of
from support.analysis.stopping.dialogue_act import DialogueAct
from support.analysis.stopping.ensemble import Ensemble
from support.analysis.stopping.learner import Ridge
from support.analysis.stopping.live import live
from support.analysis.stopping.people import people_study
from support.analysis.stopping.rules import (
    AllRounds,
    ConsecutiveAgreements,
    FirstAgreement,
    InformationDifference,
    Oracle,
    Priced,
    ValidationCheckpoint,
    stop_round,
)
from support.errors import InvalidInput
from support.roundtable.economy import exchange_economy
from support.roundtable.records import Decision, Round, Transcript
from support.roundtable.seats import seat_all
from support.roundtable.table import play

LIVE = [AllRounds(), FirstAgreement(), ConsecutiveAgreements(), ValidationCheckpoint(), InformationDifference(),
        DialogueAct(), Ensemble(), Ridge(), Priced(DialogueAct(), 0.02), Priced(Ridge(), 0.02)]  # fmt: skip


@pytest.fixture(scope="session")
def studies(records, signals):
    return studies_of(records, encoder=signals, folds=2)


def test_a_study_is_what_the_records_say(records, studies):
    study, (_, first) = studies["majority"], records[0]
    assert list(studies) == ["majority", "rated"]
    assert np.allclose(study.performance[0], total_utility(first) / 100)
    assert study.accepted[0].tolist() == [r.winner is not None for r in first.rounds]
    assert study.proposals[0].tolist() == [bool(r.proposals) for r in first.rounds]
    assert np.isnan(study.difference[:, 0]).all() and (study.difference[:, 1:] >= 0).all()
    said = messages_of(records[:1])
    assert study.acts[0].sum() == said["acts"].map(len).sum()
    spoken = sum(len(m.text.split()) for m in first.rounds[0].messages)
    assert study.words[0, 0] == pytest.approx(spoken, rel=0.1)


def test_the_same_group_is_in_the_same_fold_under_each_rule(studies):
    assert (studies["majority"].folds == studies["rated"].folds).all()


def test_measured_messages_and_a_later_first_run_give_the_same_studies(records, studies, signals):
    said = building.measured(messages_of(records, first_run=50), signals)
    again = studies_of(records, said, folds=2, first_run=50)["rated"]
    for layer in ("performance", "acts", "difference", "words"):
        assert np.array_equal(getattr(again, layer), getattr(studies["rated"], layer), equal_nan=True)
    with pytest.raises(InvalidInput, match="run 50 is none of the 8 records from 0 on"):
        studies_of(records, said, folds=2)


def test_without_an_encoder_the_difference_is_unknown(records):
    assert studies_of(records, folds=2)["rated"].difference is None


def test_a_transcript_of_one_round_and_one_without_a_word_are_studies(records, signals):
    (unit, first), (_, second) = records[:2]
    short = replace(first, rounds=first.rounds[:1])
    mute = replace(second, rounds=tuple(replace(r, messages=()) for r in second.rounds))
    study = studies_of([(unit, short), (unit, mute)], encoder=signals, folds=2)["majority"]
    assert study.played.tolist() == [1, 10]
    assert np.isnan(study.gain[0, 1:]).all() and np.isnan(study.difference).all()
    assert not study.acts[1].any() and study.words[1].sum() == 0
    assert stop_round(FirstAgreement(), study)[0] == 1
    silent = studies_of([(unit, mute), (unit, mute)], encoder=signals, folds=2)["majority"]
    assert np.isnan(silent.difference).all()


def test_fewer_discussions_than_folds_none_at_all_and_another_environment_are_refused(records):
    with pytest.raises(InvalidInput, match="folds: 5 given for 4 discussions"):
        studies_of(records)
    with pytest.raises(InvalidInput, match="records: none given"):
        studies_of([])
    with pytest.raises(InvalidInput, match="environment: 'menu' given"):
        performance_of(replace(records[0][1], environment={"name": "menu"}))


def rating_round(number, value):
    decision = None if value is None else Decision("P1", value, number)
    return Round(number, (), (), (), (), None, (), "", decision)


def test_ratings_are_judged_by_their_absolute_error_and_silence_by_the_mean_rating(monkeypatch):
    monkeypatch.setattr(building, "_mean_rating", lambda: 3.5)
    rounds = tuple(rating_round(i, v) for i, v in enumerate([None, 4.5, 2.0], start=1))
    record = Transcript({"name": "movielens", "rating": 4.0}, "majority", {}, rounds)
    assert performance_of(record).tolist() == [0.5, 0.5, 2.0]
    messages = pd.DataFrame(
        [(0, 1, "A", "hello there", ("inform",))], columns=["run", "round", "sender", "text", "acts"]
    )
    study = building.study_of([record], messages)
    assert not study.higher_is_better
    assert study.best_round.tolist() == [1]


@pytest.mark.parametrize("rule", LIVE, ids=lambda r: r.name)
def test_live_and_offline_stop_in_the_same_round(rule, records, studies, signals):
    study = studies["rated"]
    fitted = rule.fit(study)
    offline = stop_round(fitted, study).tolist()
    transcripts = [t for _, t in records if t.rule == "rated"]
    asked = live(fitted, signals)
    for transcript, last in zip(transcripts, offline, strict=True):
        said = [asked(transcript.rounds[:n]) for n in range(1, len(transcript.rounds) + 1)]
        assert (said.index(True) + 1 if True in said else len(said)) == last


def test_live_and_offline_agree_also_when_somebody_is_silent_at_first(records, signals):
    quiet = []
    for unit, t in records[:4]:
        first = replace(t.rounds[0], messages=t.rounds[0].messages[:1])
        quiet.append((unit, replace(t, rounds=(first, *t.rounds[1:]))))
    study = studies_of(quiet, encoder=signals, folds=2)["majority"]
    for rule in (Priced(DialogueAct(), 0.3), Priced(Ridge(), 0.3)):
        fitted = rule.fit(study)
        asked, last = live(fitted, signals), stop_round(fitted, study)
        for (_, t), stop in zip(quiet, last, strict=True):
            said = [asked(t.rounds[:n]) for n in range(1, 11)]
            assert (said.index(True) + 1 if True in said else 10) == stop


def test_the_oracle_cannot_be_asked_live():
    with pytest.raises(InvalidInput, match="not played yet"):
        live(Oracle())


def test_a_round_table_stops_where_the_rule_would_have_stopped_the_recorded_one(records, studies):
    fitted = ValidationCheckpoint("mean").fit(studies["rated"])
    economy = exchange_economy()

    def played(**options):
        rng = np.random.default_rng(8)
        return asyncio.run(play(economy, seat_all(economy, "mixed", rng), "rated", rng=rng, **options))

    whole, stopped = played(), played(stop=live(fitted))
    assert stopped.rounds == whole.rounds[: fitted.round]
    assert stopped.settings == {"tie_break": "defer", "stop": fitted.name, "stopped": fitted.name}


def test_an_annotator_takes_the_place_of_true_acts(records, studies):
    class Everything:
        name, covered, problems = "everything", (), {}

        async def label(self, messages):
            return [("propose", "accept")] * len(messages)

    fitted = DialogueAct().fit(studies["rated"])
    fitted = replace(fitted, candidates=np.array([71]), setting=replace(fitted.setting, score=1, count_per_round=1))
    assert fitted.pairs == ("propose → propose",)
    rounds = records[0][1].rounds
    asked = live(fitted, annotator=Everything())
    assert not asyncio.run(asked(rounds[:1])) and asyncio.run(asked(rounds[:2]))
    assert live(fitted)(rounds[:2]) is False


def chat():
    rows = [
        (7, 1, "Ann", "shall we turn A?", "Probing", "Solution", "", 0.2),
        (7, 1, "Bob", "yes", "Non-probing-deliberation", "Agree", "", 0.2),
        (7, 2, "Ann", "and 7", "Non-probing-deliberation", "Solution", "", 0.9),
        (9, 1, "Cy", "hm", "", "", "", 0.5),
    ]
    columns = ["run", "round", "sender", "text", "kind", "target", "additional", "performance"]
    return pd.DataFrame(rows, columns=columns)


def test_people_are_a_study_by_blocks_with_their_own_labels():
    study = people_study(chat(), folds=2)
    assert study.played.tolist() == [2, 1]
    assert np.array_equal(study.performance, [[0.2, 0.9], [0.5, np.nan]], equal_nan=True)
    assert study.best_round.tolist() == [2, 1]
    assert study.acts.sum() == 4
    with pytest.raises(InvalidInput, match="accepted: this study holds none"):
        FirstAgreement().fires(study)
