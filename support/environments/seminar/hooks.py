"""Stop hooks: what a question to the person at the desk leaves behind, and how it becomes a policy."""

from __future__ import annotations

import re
import textwrap

from support.environments.seminar.policies import LONGEST, PolicySet
from support.environments.seminar.rules import OCCASION
from support.errors import InvalidInput
from support.records.organizing import Flag, Hook

TOPIC = 90  # characters


def topic_of(question: str) -> str:
    """What a question is about: its first sentence, cut where it is long.

    >>> topic_of("The speaker wants to give the talk by video. Shall I allow it?")
    'The speaker wants to give the talk by video'
    """
    first = re.split(r"(?<=[.?!])\s", " ".join(question.split()), maxsplit=1)[0]
    return textwrap.shorten(first.rstrip(".?! "), TOPIC, placeholder=" …")


def hook_of(flag: Flag, day: int) -> Hook:
    """The hook that a flag of that day leaves behind; its topic says about whom it is where the question does not."""
    topic = topic_of(flag.question)
    topic = topic if flag.person in flag.question else f"{flag.person}: {topic}"
    return Hook(topic, flag.question, flag.answer, day, flag.person)


def hook_to_policy(hook: Hook, policies: PolicySet) -> PolicySet:
    """With one more policy: what was decided about a hook's question holds from now on.

    It is no rule, whatever its words (see `rules.OCCASION`): who follows rules only does not follow it, and says so.

    Raises
    ------
    InvalidInput
        On a hook that nobody answered, or an answer too long for a policy.
    """
    answer = " ".join(hook.answer.split())
    if not answer:
        raise InvalidInput(f"hook: {hook.topic!r} has no answer; decide about it first, then make it a policy")
    topic, taken = topic_of(hook.question) or hook.topic, {policy.id for policy in policies}
    head = f"{OCCASION} {topic}."
    if len(answer) >= LONGEST - len(head):
        raise InvalidInput(
            f"hook: an answer of {len(answer)} characters given; a policy holds at most {LONGEST - len(head) - 1} "
            "beside its topic: say it shorter"
        )
    name = next(made for k in range(1, 1000) if (made := f"hook_{k}") not in taken)
    return policies.add(f"{head} {answer}", name, topic)
