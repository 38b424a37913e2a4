"""What users get wrong about a seminar: refused where it enters, with what was given and what was expected."""

import asyncio
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from support.errors import DamagedFile, InvalidInput
from support.models.stand_ins import scripted
from support.seminar.artefacts import hook_to_policy, import_artefacts
from support.seminar.data import Persona, scenario
from support.seminar.records import Hook
from support.seminar.rules import LONGEST, PolicySet, load_policies
from support.seminar.selecting import select_with
from support.seminar.speakers import SPEAKER
from support.seminar.study import policy_set, seminar

ANA, FOUR, SEED = (
    Persona("ana", "Ana Ray", "ana@example.org", "professor"),
    scenario("four"),
    load_policies(),
)


def invite(*people):
    return replace(FOUR, people=people)


def play(**settings):
    return asyncio.run(seminar(np.random.default_rng(0), **settings))


def ask(context, policies=SEED):
    return asyncio.run(
        select_with(scripted([]), context, policies, {"slot": "x", "summary": "x"})
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: replace(ANA, name=" "), "no name given"),
        (
            lambda: replace(ANA, email="a na@x.org"),
            "email 'a na@x.org' given; expected one such as",
        ),
        (
            lambda: replace(ANA, vague=float("nan")),
            "vague = nan given; expected a number from 0 to 1",
        ),
        (
            lambda: invite(ANA, replace(ANA, id="b", name="ana ray", email="b@x.org")),
            "two have the name",
        ),
        (
            lambda: invite(
                ANA, replace(ANA, id="b", name="Bo", email="ANA@example.org")
            ),
            "two have the email",
        ),
        (
            lambda: invite(replace(ANA, name="Reviewer ")),
            "which stands for a role in mails and records",
        ),
        (lambda: replace(FOUR, people=()), "nobody given"),
        (
            lambda: replace(FOUR, slots=FOUR.slots[::-1]),
            "not in their order; expected the earliest first",
        ),
        (
            lambda: replace(FOUR, slots=FOUR.slots[:1] * 2),
            "is given twice; give it once, with more seats",
        ),
        (
            lambda: replace(FOUR, start=date(2027, 8, 15)),
            "start 2027-08-15 is a Sunday; expected a working day",
        ),
        (lambda: replace(FOUR, start=FOUR.slots[0]), "is over when work starts"),
        (
            lambda: replace(FOUR, deadline=FOUR.start),
            "deadline 2027-08-16 given; expected one after",
        ),
        (
            lambda: FOUR.person("Zoe"),
            "person: 'Zoe' given; expected one of Aurelio Brandvik, Ngozi",
        ),
        (
            lambda: scenario("five"),
            "scenario: 'five' given; expected one of four, series, panel",
        ),
        (
            lambda: SEED.add("Follow up every four days.").literal(),
            "contradicts 'follow_up' .one waits 2 working",
        ),
        (lambda: SEED.add("x", "begin"), "the id 'begin' is given twice"),
        (
            lambda: SEED.add("x" * (LONGEST + 1)),
            f"{LONGEST + 1} characters given; expected at most {LONGEST}",
        ),
        (lambda: policy_set("seed + begin"), "seed has begin already; leave it out"),
        (
            lambda: policy_set([{"id": "a"}]),
            "policies: KeyError.'text'.; expected policies with id and text",
        ),
        (
            lambda: hook_to_policy(Hook("video", "Video?", " "), PolicySet()),
            "has no answer; decide about it first",
        ),
        (
            lambda: hook_to_policy(Hook("video", "Video?", "y" * 500), PolicySet()),
            "an answer of 500 characters given",
        ),
        (lambda: play(organizer="model"), "model: none given"),
        (lambda: play(detector="nose"), "detector: 'nose' given"),
        (
            lambda: play(seats="angel"),
            "'angel' given for Aurelio Brandvik; expected one of rule-based, prompt, slow",
        ),
        (lambda: play(seats=["slow"]), r"seats: \['slow'\] given; expected 4 kinds"),
        (
            lambda: play(seats=[SPEAKER.person("Zoe"), *["slow"] * 3]),
            "a human seat made for Zoe given for Aurelio",
        ),
        (
            lambda: play(delegation={"telephone": "automatic"}),
            "delegation: 'telephone' given; expected some of plan",
        ),
        (
            lambda: play(until=True),
            "until: True given; expected a whole number of days from 1",
        ),
        (
            lambda: ask("weather"),
            "context: 'weather' given; expected one of slot, summary",
        ),
        (lambda: ask("summary", PolicySet()), "policies: none given"),
    ],
)
def test_what_cannot_be_is_refused_with_what_is_expected(call, said):
    with pytest.raises(InvalidInput, match=said):
        call()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "version: 9\npolicies: []\n",
            "version 9 given, and this Convene reads up to 1.*was left as it is",
        ),
        ("policies: []\n", "version None given; expected version: 1"),
        ("- a\n", "a list given; expected a mapping"),
        ("version: !!python/object/apply:os.getcwd []\n", "expected a YAML file"),
        (
            "version: 1\npolicies: [{id: a}]\n",
            "'text'.*expected policies with id and text",
        ),
        ("version: 1\nhooks: [{colour: red}]\n", "expected the fields of a Hook"),
        (
            "version: 1\nhooks: [{topic: t, question: q, answer: no}]\n",
            "hook: answer = False given; expected",
        ),
        ("version: 1\nlearnt: [3]\n", "learnt is a list; expected a list of mappings"),
        (
            "version: 1\ntemplates: [{kind: thanks, subject: x}]\n",
            "expected the fields of a Template",
        ),
        (
            "version: 1\ntemplates: [{kind: shout, subject: x, body: y}]\n",
            "kind 'shout' given",
        ),
        (
            "version: 1\ntemplates: [{kind: thanks, subject: x, body: '{age}'}]\n",
            "{age} given; expected one of",
        ),
    ],
)
def test_a_file_that_cannot_be_taken_along_says_why_and_is_left_as_it_is(
    tmp_path, content, said
):
    file = tmp_path / "mine.yaml"
    file.write_text(content)
    with pytest.raises((DamagedFile, InvalidInput), match=said):
        import_artefacts(file)
    assert file.read_text() == content
