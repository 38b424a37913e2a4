"""The translation of people's labels, and which teams no training may see."""

import pandas as pd
import pytest

from support.analysis.dialogue_acts import mapping
from support.analysis.dialogue_acts.acts import LABELS
from support.analysis.dialogue_acts.train import labelled_ami
from support.corpora import AMI_LABELS, delidata
from support.errors import InvalidInput


def test_every_label_of_ami_is_mapped_with_a_reason():
    assert set(mapping.AMI_TO_ACTS) == set(AMI_LABELS)
    assert all(act in LABELS and len(why) > 10 for act, why in mapping.AMI_TO_ACTS.values())


def test_each_act_either_has_human_training_data_or_says_where_ami_hides_it():
    assert set(mapping.AMI_ACTS) | set(mapping.UNCOVERED) == set(LABELS)
    assert not set(mapping.AMI_ACTS) & set(mapping.UNCOVERED)


def test_delidata_tests_no_act_that_its_labels_cannot_tell():
    told = {act for act, _ in mapping.DELIDATA_TO_ACTS.values() if act} | {"summarize"}
    assert set(mapping.DELIDATA_ACTS) == told


def test_a_message_of_delidata_may_sum_up_and_propose_at_once():
    row = {"kind": "Non-probing-deliberation", "target": "Solution", "additional": "solution_summary,x"}
    argued = {"kind": "Non-probing-deliberation", "target": "Reasoning", "additional": ""}
    assert mapping.acts_of_delidata(pd.DataFrame([row, argued])) == [("summarize", "propose"), ()]


def test_labels_of_another_scheme_are_refused():
    with pytest.raises(InvalidInput, match="'qy' given"):
        mapping.acts_of_ami(pd.Series(["inf", "qy"]))
    with pytest.raises(InvalidInput, match="Probing"):
        mapping.acts_of_delidata(pd.DataFrame([{"kind": "Probing", "target": "", "additional": ""}]))


def test_all_of_delidata_is_mapped(have):
    messages = have(delidata)
    assert len(mapping.acts_of_delidata(messages)) == len(messages)


def test_no_team_is_on_both_sides_of_the_split(have):
    seen, unseen = have(labelled_ami)
    assert not set(seen["run"]) & set(unseen["run"])
    assert not set(seen["meeting"]) & set(unseen["meeting"])
    assert len(seen) + len(unseen) == 56958
    assert 0.15 < len(unseen) / 56958 < 0.25
    assert {name[:2] for name in unseen["run"]} == {"ES", "IS", "TS"}, "people of every site are tested on"


def test_the_split_depends_on_no_order():
    meetings = pd.Series(["ES2002a", "ES2003a", "ES2004a", "ES2005a", "ES2005c", "ES2006a"])
    assert mapping.unseen_teams(meetings) == mapping.unseen_teams(meetings[::-1]) == ("ES2005",)
