"""Who sits where: a language model, a person, a rule, or an object of your own, in any role of any study.

A `Role` is a table: what is asked of it, and who answers. A model and a person read the same text and reply in the same
form; a rule-based kind is given the same view. A new role, asked one thing (another is one more line in `acts`), with
its template in a folder of one's own:

>>> import asyncio, tempfile
>>> from pathlib import Path
>>> import numpy as np
>>> from support.models.stand_ins import scripted
>>> from support.seats import Act, Role, Spoken, form, people, text
>>> class Silent:
...     kind = "silent"
...     def __init__(self, name, rng, own):  # `own` is what the seat knows and nobody else; `acts` find it at seat.own
...         self.me = name
...     async def judge(self, topic):
...         return None
>>> CRITIC = Role(
...     "critic",
...     acts={"judge": Act("critic", lambda seat, topic: form("CriticReply", text=text(200)),
...                        lambda seat, topic: {"me": seat.me, "topic": topic},
...                        lambda seat, reply, topic: reply.text)},
...     kinds={"silent": Silent},
... )
>>> async def evening(topic, spoken):
...     questions = asyncio.Queue()  # what a person is asked waits here: a form, or this line below, answers it
...     with people(questions):
...         kinds = ["silent", "model", "human"]  # "model:gpt-4o-mini" needs no model in `spoken`
...         critics = CRITIC.fill(["Ana", "Ben", "Cem"], kinds, np.random.default_rng(1), spoken=spoken)
...     judging = asyncio.gather(*(critic.judge(topic) for critic in critics.values()))
...     (await questions.get()).answer({"text": "Too long."})
...     return dict(zip(critics, await judging))
>>> with tempfile.TemporaryDirectory() as folder:
...     _ = (Path(folder) / "critic.md.j2").write_text("You are {{ me }}. How do you like {{ topic }}?")
...     asyncio.run(evening("the play", Spoken(scripted([{"text": "I like it."}]), prompts=folder)))
{'Ana': None, 'Ben': 'I like it.', 'Cem': 'Too long.'}

Templates of the package lie in `support/prompts`; those of the user's folder (`prompts`) go before them. How to
reply in JSON stands in a template's `{% if not has_form() %}`: a person reads the rest, above a form.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    ValidationError,
    WithJsonSchema,
    create_model,
    model_validator,
)

from support.errors import InvalidInput, MalformedReply, UnknownParticipant
from support.forms import misfits
from support.models.profiles import MODEL, TIGHT, Limits, is_model
from support.play import check_number
from support.prompts import check_folder, own, render
from support.spelling import alike, or_empty
from support.within import within

if TYPE_CHECKING:
    from support.models.model import ChatModel

MIXED = "mixed"
HUMAN = "human"
CONTEXT = 100_000  # tokens that a model reads where its profile does not say
CHARACTERS = 3  # of a token
TEMPERATURE = 0.7  # of models, where no paper names one: repetitions then differ
Seats = Any
"""One kind for all, one for each name in order, or {name: kind}; in the place of a kind, a participant itself, or a
class or function that is called with the name and its random stream, and with what the seat knows if it takes `own`."""


# ---- who thinks with a language model ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Spoken:
    """The settings that a study passes on to its language models.

    `model` is that of the kind "model" without a name; above `temperature` 0 each seat
    draws a seed, at 0 it is 0, so that all repetitions ask the same; `repetition` tells
    repeated runs apart; `prompts` is a folder of templates that go before ours;
    `reasoning` is "off", "low", "medium", "high" or what models.toml says of a model,
    None as the model does by itself.
    """

    model: ChatModel | str | None = None
    temperature: float = TEMPERATURE
    repetition: int = 0
    prompts: str | Path | None = None
    reasoning: str | None = None

    def __post_init__(self) -> None:
        check_number("temperature", self.temperature, 0.0, 2.0)
        if self.prompts is not None:
            check_folder(self.prompts)


@dataclass(frozen=True)
class Act:
    """One thing asked in a role, of a model or of a person. All callables are given the seat and the view (the
    coroutine's arguments).

    `form` makes the pydantic class of the reply; `facts` are the values of the template `prompt`, `told` those of the
    `briefing`, which is the system's message; `made` turns the reply into what the mechanism takes; `room` is the
    number of tokens at which a tight model's reply is cut off; `unasked` answers without asking, or returns None.
    """

    prompt: str
    form: Callable[..., type[BaseModel]]
    facts: Callable[..., Mapping[str, Any]]
    made: Callable[..., Any] = lambda seat, reply, *view: reply
    room: int | Callable[..., int] = 120
    briefing: str = ""
    told: Callable[..., Mapping[str, Any]] = lambda seat, *view: {}
    unasked: Callable[..., Any] = lambda seat, *view: None


class Seat:
    """A seat whose answers are replies to questions: its role's acts, and what it knows (`own`).

    `limits` and `shown` say how much it may say and is shown; `prompts` is a folder of
    templates that go before ours.
    """

    kind: str

    def __init__(
        self,
        acts: Mapping[str, Any],
        own: Any = None,
        me: str = "",
        prompts: str | Path | None = None,
        shown: Shown | None = None,
    ) -> None:
        self.acts = acts
        self.own = own
        self.me = me
        self.prompts = prompts
        self.shown = shown or Shown(Limits())
        self.limits = self.shown.limits

    def __getattr__(self, phase: str) -> Any:
        if phase.startswith("_") or phase == "acts" or phase not in self.acts:
            raise AttributeError(phase)
        return partial(self.do, phase)

    async def do(self, phase: str, *view: Any) -> Any:
        """What is done in a phase: what the reply to its question becomes, or what goes without asking."""
        act = self.acts[phase]
        done = act.unasked(self, *view)
        return await self._do(phase, act, *view) if done is None else done

    async def _do(
        self,
        phase: str,
        act: Act,
        *view: Any,
    ) -> Any:
        raise NotImplementedError

    def question(self, act: Act, *view: Any) -> str:
        """The text of what is asked."""
        return self._text(act.prompt, act.facts, *view)

    def briefing(self, act: Act, *view: Any) -> str:
        """What is to be read before it, where there is something."""
        return self._text(act.briefing, act.told, *view) if act.briefing else ""

    def _text(
        self,
        template: str,
        values: Any,
        *view: Any,
    ) -> str:
        with own(self.prompts, form=self.kind == HUMAN):
            return render(template, **values(self, *view))

    def words(self, characters: int) -> int:
        """Words of a text of so many characters, eight for each, as a model is told them; a tight one is told 0."""
        return 0 if self.limits.tight else characters // 8


class ModelSeat(Seat):
    """A seat taken by a language model, and what it has cost so far.

    `kind` is the name that a participant is given, "model:chat-b"; `replies` and
    `tokens` count what was asked, repairs and replies that never fitted their form
    among them; `repairs` those alone.
    """

    def __init__(
        self,
        model: ChatModel | str,
        acts: Mapping[str, Act],
        own: Any = None,
        *,
        me: str = "",
        seed: int | None = 0,
        spoken: Spoken | None = None,
    ) -> None:
        spoken = spoken or Spoken()
        self.model = given_model(MODEL, model, f"the seat of {me}")
        shown = Shown(self.model.limits, self.model.profile.context or CONTEXT)
        super().__init__(acts, own, me, spoken.prompts, shown)
        self.settings: dict[str, Any] = {
            "temperature": spoken.temperature,
            "seed": seed,
            "repetition": spoken.repetition,
            "reasoning": spoken.reasoning,
        }
        self.kind = f"{MODEL}:{self.model.name}"
        self.replies = self.tokens = self.repairs = 0

    async def _do(
        self,
        phase: str,
        act: Act,
        *view: Any,
    ) -> Any:
        return act.made(self, await self.ask(phase, *view), *view)

    async def ask(self, phase: str, *view: Any) -> Any:
        """The validated reply. The call's record tells who was asked in which phase,
        and what `shown` has left out since the last question."""
        self.replies += 1
        act = self.acts[phase]
        messages = self.messages(phase, *view)
        room = act.room(self, *view) if callable(act.room) else act.room
        told: dict[str, Any] = {
            "by": self.me,
            "phase": phase,
            **self.settings,
        }
        told |= {"max_tokens": self.limits.room(room), "cut": self.shown.taken()}
        try:
            reply = await self.model.reply(
                messages, schema=act.form(self, *view), **told
            )
        except MalformedReply as error:
            self.tokens += error.tokens
            self.repairs += self.model.profile.repairs
            raise
        self.tokens += reply.tokens
        self.repairs += reply.attempts - 1
        return reply.value

    def messages(self, phase: str, *view: Any) -> list[dict[str, str]]:
        """What the model reads in a phase: the briefing, where there is one, and the
        question; a seat with a memory puts more between them.
        """
        act = self.acts[phase]
        asked = [{"role": "user", "content": self.question(act, *view)}]
        if briefing := self.briefing(act, *view):
            return [{"role": "system", "content": briefing}, *asked]
        return asked


class Repeated(ModelSeat):
    """Its seed is the number of the repetition: one that sits alone needs no stream."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        if self.settings["temperature"]:
            self.settings["seed"] = self.settings["repetition"]


class Shown:
    """What a prompt shows of tables and of what others wrote, as far as a model's limits go; keeps what it left out."""

    def __init__(self, limits: Limits = TIGHT, context: int = CONTEXT) -> None:
        self.limits = limits
        self.context = context
        self._cut: list[str] = []

    def most(self, tight: int) -> int:
        """Items to be shown where a tight model is shown so many."""
        return tight if self.limits.tight else 4 * tight

    def characters(self, tight: int) -> int:
        """Characters to be shown where a tight model is shown so many."""
        return self.limits.text(self.most(tight))

    def text(self, given: str, tight: int) -> str:
        """A text, cut off."""
        most = self.characters(tight)
        self.left(most, len(given), "characters of a text")
        return cut(given, most)

    def last(
        self,
        items: Sequence[Any],
        tight: int,
        what: str,
    ) -> Sequence[Any]:
        """The last of some items."""
        kept = items[-self.most(tight) :]
        self.left(len(kept), len(items), what)
        return kept

    def rows(self, lines: Sequence[str]) -> int:
        """How many lines of a table are shown: so many as the limits say, or as half of what the model reads takes."""
        kept = self.limits.rows
        if kept is None:
            left = self.context // 2 * CHARACTERS
            kept = 0
            while kept < len(lines) and (left := left - len(lines[kept]) - 1) >= 0:
                kept += 1
        self.left(kept, len(lines), "rows of a table")
        return min(kept, len(lines))

    def left(
        self,
        kept: int,
        there: int,
        what: str,
    ) -> None:
        """Keep in mind how many of those there are shown."""
        self._cut += [f"{kept} of {there} {what}"] if kept < there else []

    def taken(self) -> str:
        """What was left out since this was asked last."""
        told = "; ".join(self._cut)
        self._cut = []
        return told


def cut(given: str, most: int) -> str:
    """A text of so many characters at most, with a mark where it was cut off."""
    return given if len(given) <= most else given[:most].rstrip() + " […]"


# ---- the forms of replies ------------------------------------------------------------------------------------------


def form(
    name: str,
    check: Callable[[Any], Any] | None = None,
    **fields: Any,
) -> type[BaseModel]:
    """The class of a reply, from its fields' types; `check` refuses what a schema cannot, by raising ValueError."""

    def after(self: Any) -> Any:
        check(self)  # type: ignore[misc]
        return self

    validators: Any = {"fits": model_validator(mode="after")(after)} if check else {}
    made: Any = {
        key: kind if isinstance(kind, tuple) else (kind, ...)
        for key, kind in fields.items()
    }
    return create_model(name, __validators__=validators, **made)


def text(most: int, least: int = 1) -> Any:
    """A text of so many characters; `least` 0 lets it be empty."""
    return Annotated[str, Field(min_length=least or None, max_length=most)]


def many(item: Any, most: int, least: int | None = None) -> Any:
    """A bounded list; null stands for one that may be empty."""
    return or_empty(list[item]), Field(min_length=least, max_length=most)


def one_of(what: str, allowed: Sequence[Any]) -> Any:
    """One of some values: the schema lists them, the complaint names what was given."""
    listed = ", ".join(str(value) or '""' for value in allowed[:12])
    listed += f" … ({len(allowed)} in all)" if len(allowed) > 12 else ""

    def known(value: Any) -> Any:
        if value not in allowed:
            raise ValueError(f"{what} {value!r} given; expected one of {listed}")
        return value

    number = allowed and isinstance(allowed[0], int)
    kind = "integer" if number else "string"
    schema = WithJsonSchema({"type": kind, "enum": list(allowed)})
    of = int if number else str
    return Annotated[of, AfterValidator(known), alike(allowed), schema]


# ---- a person ------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Question:
    """Something asked of a person: the texts that a model would read, and the form of the reply.

    `view` is what the coroutine of the seat was called with, `check` makes of the reply what it returns. An answer that
    does not fit raises, and leaves the question open. It may come from another thread than the one that asks:
    JupyterLab runs the callbacks of widgets in one of theirs.
    """

    phase: str
    me: str
    view: Any
    check: Callable[[Any], Any]
    form: type[BaseModel]
    text: str = ""
    briefing: str = ""
    _answer: Future[Any] = field(default_factory=Future)

    @property
    def closed(self) -> bool:
        """Whether it was answered or passed over, or nobody waits for an answer any more."""
        return self._answer.done()

    def answer(self, given: Any) -> None:
        """Give the reply, a mapping or an instance of the form; InvalidInput says in pydantic's words what is amiss."""
        if self.closed:
            raise InvalidInput(
                f"{self.phase}: was answered already; wait for the next question"
            )
        try:
            reply = self.form.model_validate(given)
        except ValidationError as error:
            raise InvalidInput("\n".join(misfits(error))) from None
        self._answer.set_result(self.check(reply))

    def pass_over(self, why: Exception) -> None:
        """Go on without an answer. Of `Silent` the record says why, as it does of a model's reply that never fits;
        any other error ends the run."""
        self._answer.set_exception(why)

    async def wait(self) -> Any:
        """What the answer becomes, once there is one."""
        return await asyncio.wrap_future(self._answer)


class HumanSeat(Seat):
    """A seat taken by a person: what is asked waits in `questions`, which a form (or a script) answers."""

    kind = HUMAN

    def __init__(
        self,
        acts: Mapping[str, Act],
        own: Any = None,
        *,
        me: str = "",
        prompts: str | Path | None = None,
        questions: asyncio.Queue[Question] | None = None,
    ) -> None:
        super().__init__(acts, own, me, prompts)
        self.questions = asyncio.Queue() if questions is None else questions

    async def _do(
        self,
        phase: str,
        act: Act,
        *view: Any,
    ) -> Any:
        form = act.form(self, *view)
        text = self.question(act, *view)
        check = lambda reply: act.made(self, reply, *view)
        briefing = self.briefing(act, *view)
        question = Question(phase, self.me, view, check, form, text, briefing)
        await self.questions.put(question)
        return await question.wait()


_people: ContextVar[asyncio.Queue[Question] | None] = ContextVar("people", default=None)


def people(questions: asyncio.Queue[Question]) -> AbstractContextManager[Any]:
    """Within it, a seat of the kind "human" puts what it asks into `questions`, whatever the study and the role."""
    return within(_people, questions)


# ---- who sits where ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Role:
    """What is asked of a role, and who can take it.

    `kinds` makes the rule-based participant of a name, given (name, rng, own); one that is a text is another kind's
    name. "mixed" draws from `mixture`. `asked` are the coroutines of a participant of the user's own (by default those
    of `acts`), `speaker` is the class of a model's seat.
    """

    name: str
    acts: Mapping[str, Act]
    kinds: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    mixture: Sequence[str] = ()
    asked: Sequence[str] | None = None
    speaker: type[ModelSeat] = ModelSeat

    def fill(
        self,
        names: Sequence[str],
        seats: Seats,
        rng: np.random.Generator,
        own: Callable[[str], Any] = lambda name: None,
        spoken: Spoken | None = None,
    ) -> dict[str, Any]:
        """A participant for each name, each with a random stream of its own: who sits beside changes nobody's draws.

        `own` gives what somebody of a name knows, and nobody else does.
        """
        kinds = by_name(self.name, seats, names)
        streams = rng.spawn(len(names))
        seated = zip(kinds.items(), streams, strict=True)
        return {
            name: self.seat(kind, stream, own(name), spoken, name)
            for (name, kind), stream in seated
        }

    def seat(
        self,
        kind: Any,
        rng: np.random.Generator,
        own: Any = None,
        spoken: Spoken | None = None,
        me: str = "",
    ) -> Any:
        """The participant of a kind; one of the user's own is taken as it is, a class or function is called."""
        if is_maker(kind):
            kind = called(kind, me, rng, own)
        if not isinstance(kind, str):
            return self._checked(kind, me)
        if kind == MIXED and self.mixture:
            kind = self.mixture[rng.integers(len(self.mixture))]  # type: ignore[call-overload]
        self.check(kind, me)
        spoken = spoken or Spoken()
        if is_model(kind):
            model = given_model(
                kind, spoken.model, f"the seat of {me or f'the {self.name}'}"
            )
            seed = int(rng.integers(2**31)) if spoken.temperature else 0
            seat = self.speaker(
                model,
                self.acts,
                own,
                me=me,
                seed=seed,
                spoken=spoken,
            )
            if kind != MODEL:
                seat.kind = kind
            return seat
        if kind != HUMAN:
            return self.kinds[kind](me, rng, own)
        if (questions := _people.get()) is None:
            told = (
                'nobody is here to answer; use a lab, or a room (help("support.room"))'
            )
            raise InvalidInput(f"{self._given(HUMAN, me)}, but {told}")
        return self.person(
            me or self.name, own, prompts=spoken.prompts, questions=questions
        )

    def check(self, kind: str, me: str = "") -> None:
        """Refuse a kind that there is not."""
        known = [
            *self.kinds,
            *([MIXED] if self.mixture else []),
            *([HUMAN, MODEL] if self.acts else []),
        ]
        if kind not in known and not (self.acts and is_model(kind)):
            named = f" (or {MODEL}:NAME)" if self.acts else ""
            raise UnknownParticipant(
                f"{self._given(kind, me)}; expected one of {', '.join(known)}{named}"
            )

    def person(
        self,
        me: str = "",
        own: Any = None,
        **settings: Any,
    ) -> HumanSeat:
        """A seat for a person, by default with a queue of its own; it takes the place of a kind."""
        return HumanSeat(self.acts, own, me=me, **settings)

    def _checked(self, given: Any, me: str) -> Any:
        methods = tuple(self.acts) if self.asked is None else self.asked
        lacks = [
            m
            for m in methods
            if not inspect.iscoroutinefunction(getattr(given, m, None))
        ]
        if lacks or not isinstance(getattr(given, "kind", None), str):
            told = f"which says in records who sat there, and `async def {'`, `'.join(methods)}`"
            expected = (
                f"expected the name of a kind, or an object with a text `kind`, {told}"
            )
            raise InvalidInput(f"{self._given(given, me)}; {expected}")
        if me and getattr(given, "me", me) not in ("", me):
            raise InvalidInput(
                f"{self.name}: a {given.kind} seat made for {given.me} given for {me}; make it for {me}"
            )
        return given

    def _given(self, kind: Any, me: str) -> str:
        return f"{self.name}: {kind!r} given{f' for {me}' if me else ''}"


def is_maker(kind: Any) -> bool:
    """Whether it is a class or a function, which makes a participant and is none."""
    return inspect.isclass(kind) or inspect.isroutine(kind) or isinstance(kind, partial)


def called(
    maker: Any,
    name: str,
    rng: np.random.Generator,
    own: Any,
) -> Any:
    """What a class or a function of the user's own makes for a seat; `own` is what the seat knows, if it takes that."""
    takes = inspect.signature(maker)
    known = {"own": own} if "own" in takes.parameters else {}
    try:
        takes.bind(name, rng, **known)
    except TypeError as error:
        what = "a class or a function is called with the name of the seat and its random generator"
        raise InvalidInput(
            f"seats: {maker!r} given for {name}, but {what} ({error})"
        ) from None
    return maker(name, rng, **known)


def by_name(role: str, seats: Seats, names: Sequence[str]) -> dict[str, Any]:
    """The kind of each name."""
    if isinstance(seats, str) or is_maker(seats) or hasattr(seats, "kind"):
        return dict.fromkeys(names, seats)
    if not isinstance(seats, Mapping):
        if len(seats) != len(names):
            raise InvalidInput(
                f"seats: {list(seats)!r} given; expected {len(names)} kinds, one for each {role}"
            )
        seats = dict(zip(names, seats, strict=True))
    if set(seats) != set(names):
        raise InvalidInput(
            f"seats: {sorted(seats)} given; expected a kind for each of {list(names)}"
        )
    return {name: seats[name] for name in names}


def given_model(kind: str, model: ChatModel | str | None, who: str) -> ChatModel:
    """The language model of a kind: "model:NAME" has its own, "model" stands for the one that is given, or named."""
    if model is None and kind == MODEL:
        raise InvalidInput(
            f"model: none given for {who}; name one ({MODEL}:gpt-4o-mini), or pass model=connect(...)"
        )
    if kind == MODEL and not isinstance(model, str | None):
        return model
    from support.models import named

    return named(kind, model)
