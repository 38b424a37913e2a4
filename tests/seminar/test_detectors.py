"""The detector by words: it flags what wants something that no policy speaks of, and nothing that merely names it."""

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.seminar.detectors import TOPICS, LexicalDetector, covered, matches
from support.seminar.rules import PolicySet, load_policies

SEED = load_policies()
WANTED = {
    "wants to speak from afar": "Could I give the talk over Zoom?",
    "asks about money": "Before I say yes: would you be able to cover a flight?",
    "needs papers": "I shall need a letter of invitation for the consulate.",
    "proposes somebody else as the speaker": "My doctoral student could speak instead of me.",
    "wants to share the talk": "Would you mind if it were a talk by the two of us?",
    "asks for a day that was not offered": "Could we take a Thursday instead?",
    "needs access": "Is there a ramp for a wheelchair?",
    "tells of health or family leave": "After my operation I may need to sit while I speak.",
    "will know only at the last moment": "I'll only know on the evening before whether I can come.",
    "has a wish about recording": "I would rather not be filmed.",
    "proposes another format": "Would a workshop be possible?",
    "needs care for a child": "Is there a room where somebody could mind my daughter?",
    "sets a condition of its own": "I come only if nobody from the press is let in.",
}


def check(text, policies=SEED):
    return asyncio.run(LexicalDetector().check(text, policies))


@pytest.mark.parametrize("topic", [topic.name for topic in TOPICS])
def test_a_wish_on_each_topic_is_flagged_with_a_question_that_names_and_quotes_it(topic):
    verdict = check(f"The 13th is fine. {WANTED[topic]} Best wishes")
    assert verdict.flag and verdict.question == f"The writer {topic}: “{WANTED[topic]}” What shall I answer?"


@pytest.mark.parametrize(
    "text",
    [
        "The 13th suits me, thank you.",
        "I watched the video of your last talk. The 13th suits me.",
        "I pay the train myself. October is good.",
        "I will ask a colleague to swap her class and tell you on Friday.",
        "I was ill last week, sorry for the silence. Both dates work.",
        "Only the 6th works for me.",
        "Perhaps in November, I am not sure yet.",
        "Thank you, but I have to decline this year.",
        "What is the room called, and is there a projector?",
        "",
    ],
)
def test_routine_answers_are_clear_even_where_they_name_a_topic(text):
    verdict = check(text)
    assert (verdict.flag, verdict.question) == (False, "")


def test_what_a_policy_covers_is_clear_and_no_policy_of_the_file_covers_a_topic():
    video = SEED.add("Talks are given in person, never by video call; say so kindly.", "in_person")
    assert check(WANTED["wants to speak from afar"]).flag
    assert not check(WANTED["wants to speak from afar"], video).flag
    assert check(f"{WANTED['wants to speak from afar']} {WANTED['needs access']}", video).question.count("needs access")
    assert not any(covered(topic, load_policies("all")) for topic in TOPICS)


@given(st.text(max_size=400))
def test_property_every_text_has_a_verdict_and_a_flag_has_a_question_of_forty_words(text):
    verdict = check(text, PolicySet())
    assert verdict.flag == bool(verdict.question)
    assert not verdict.flag or (verdict.question.endswith("?") and len(verdict.question.split()) <= 40)


def test_a_very_long_sentence_costs_no_more_than_its_length():
    start = time.perf_counter()
    list(matches("none of them but " * 700))
    assert time.perf_counter() - start < 5  # unbounded it took a minute
