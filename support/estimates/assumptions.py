"""What an estimate rests on, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.estimates.taking import Sample, Terms
    from support.store import Unit


def sentences(todo: Sequence[Unit], seen: Sample, terms: Terms, unpriced: bool) -> tuple[str, ...]:
    """All of them, in the order in which they matter."""
    if not todo:
        return ("Every unit is finished: there is nothing left to do.",)
    sampled = _sampled(todo, seen)
    if not seen.count["asked"] and not seen.measured:
        return (f"{sampled} It asked no model anything: the sweep costs no calls.",)
    return (sampled, *_replies(seen, terms), _money(terms, unpriced), *_time(terms))


def _sampled(todo: Sequence[Unit], seen: Sample) -> str:
    settings = len({unit.settings for unit in todo})
    return (
        f"{seen.count['sampled']} of {len(todo)} units were played with a stand-in for the model, of {len(seen.usual)} "
        f"of the {settings} settings."
    )


def _replies(seen: Sample, terms: Terms) -> Iterator[str]:
    if seen.measured:
        yield (
            f"For {len(seen.measured)} settings, the calls of {seen.count['measured']} finished units count instead; "
            "replies that those found in the cache count as asked."
        )
    piece = f"{terms.chars_per_token:g} characters" if terms.chars_per_token else "six letters, a digit, or a mark"
    yield f"A text has {terms.fill:.0%} of its greatest length, half and twice that for the range; a token is {piece}."
    yield (
        "Replies are drawn at random: they may end a discussion earlier or later than a real model would. Ends are "
        "chosen half of the time where there is a choice, one time in ten for the high side, never for the worst."
    )
    yield (
        f"{seen.count['repairs']} of the {seen.count['asked']} replies in the sample answer a complaint about the form "
        f"of the one before. Those are counted. A stand-in keeps to every schema, which a real model may not; the "
        f"worst case has {terms.repairs} repairs for every reply with a form."
    )
    if seen.errors:
        yield (
            f"{len(seen.errors)} of the units in the sample broke off, and count with what they had asked. The first "
            f"said: {type(seen.errors[0]).__name__}: {seen.errors[0]}"
        )
    kept = "costs once within a unit" if terms.kept else "is paid each time, as without a cache"
    yield f"A question that is asked twice {kept}; replies that are in the cache already are not looked for."


def _money(terms: Terms, unpriced: bool) -> str:
    if unpriced:
        missing = [
            f"{model!r} at {where}" for model, where in terms.places.values() if not terms.prices.find(model, where)
        ]
        return f"No price is known for {', '.join(missing)}: add it to {terms.prices.path}."
    return (
        f"Prices are those of {terms.prices.date}, in {terms.prices.path}; no prompt is found in the provider's own "
        "cache, and attempts that fail are not counted."
    )


def _time(terms: Terms) -> Iterator[str]:
    call = (
        f"{terms.seconds_per_call:g} s"
        if terms.seconds_per_call
        else f"half a second and its reply at {terms.tokens_per_second:g} tokens a second, or what it took where known"
    )
    limits = {"requests": terms.requests_per_minute, "tokens": terms.tokens_per_minute}
    kept = " and ".join(f"{limit:g} {what} a minute" for what, limit in limits.items() if limit)
    yield f"A call takes {call}; those of a unit follow one another, {terms.concurrency} units at a time."
    if kept:
        yield f"No more than {kept} are sent."
