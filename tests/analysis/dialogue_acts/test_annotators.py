"""One protocol for whoever labels."""

import asyncio

import pandas as pd
import pytest

from support.analysis.dialogue_acts.annotators import TrueActs, annotate
from support.analysis.dialogue_acts.classifiers import MajorityAnnotator
from support.errors import InvalidInput

MESSAGES = pd.DataFrame({"text": ["a", "b"], "acts": [("request", "inform"), ()]}, index=[5, 9])


def test_each_annotator_fills_a_column_of_its_own():
    made = asyncio.run(annotate(MESSAGES, [TrueActs(), MajorityAnnotator("inform")]))
    assert made["true acts"].tolist() == [("inform", "request"), ()]
    assert made["majority label"].tolist() == [("inform",)] * 2
    assert made.index.tolist() == [5, 9]
    assert "true acts" not in MESSAGES, "the frame given is left as it is"


def test_a_sender_who_does_not_know_its_acts_stays_unlabelled():
    true = TrueActs()
    asyncio.run(true.label(MESSAGES))
    assert true.problems == {1: "its sender does not say what it does"}


@pytest.mark.parametrize("name", ["text", "majority label"])
def test_a_name_that_is_taken_is_refused(name):
    with pytest.raises(InvalidInput, match=name):
        asyncio.run(annotate(MESSAGES, [MajorityAnnotator("inform"), MajorityAnnotator("inform", name)]))
