"""How providers of one API differ: what they refuse, how they say so, how they reply.

One table of refusals (`KINDS`), one of lessons (`Dialect.taught`), one of shapes of a
reply (`read`). Nothing here sends, waits or keeps anything.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from support.errors import CallFailed, ContextOverflow, ModelError, ModelUnavailable
from support.models.profiles import Profile
from support.models.request import Completion, Request, rewritten

# -- what a refusal says --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is none: its status, its words, and which parameter it names."""

    status: int | None
    words: str
    param: str = ""
    sizes: str = ""  # how long the prompt was, and may be
    cause: str = ""  # by its name in `KINDS`, where no status says it
    detail: str = ""  # of a connection that failed
    retry_after: float | None = None

    def names(self, parameter: str) -> bool:
        """Whether it is about a parameter: by the field that says so, or by its words."""
        if self.param:
            return self.param.startswith(parameter)
        return bool(re.search(rf"\b{parameter}\b", self.words))


def refusal(status: int | None, body: Any, **more: Any) -> Refusal:
    """Read the body of an error, in whichever of the providers' shapes it comes."""
    match body:
        case [inner, *_]:  # Gemini
            return refusal(status, inner, **more)
        case {"detail": [{"loc": [*_, param], "msg": said}, *_]}:  # FastAPI
            error: Any = {"message": said, "param": param}
        case {"error": error} | {"detail": error} | {"message": str(error)}:
            pass
        case _:
            error = body
    fields = error if isinstance(error, dict) else {"message": error}
    told = (fields.get(name) for name in ("message", "code", "type"))
    words = " ".join(part for part in told if isinstance(part, str) and part)
    if {"n_prompt_tokens", "n_ctx"} <= fields.keys():  # llama.cpp
        read, most = fields["n_prompt_tokens"], fields["n_ctx"]
        more["sizes"] = f": {read} tokens, and it reads {most}"
    if status is None and isinstance(fields.get("code"), int):  # an error within a 200
        status = fields["code"]
    param = fields.get("param")
    return Refusal(status, words or str(error), str(param or ""), **more)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of refusal: how it is known, what it is for the caller, and what to do."""

    name: str
    status: str  # a pattern; "" for what never became an answer
    words: str
    error: type[ModelError]
    advice: str
    passing: bool = False  # the same call may succeed a little later
    charged: bool = False  # the question had been passed on: it may cost

    def fits(self, refused: Refusal) -> bool:
        """Whether a refusal is of this kind."""
        if refused.status is None or not re.fullmatch(self.status, str(refused.status)):
            return False
        return re.search(self.words, refused.words, re.I) is not None


OVERFLOW = (
    "context_length_exceeded|exceed_context_size|context (length|size|window)"
    "|prompt is too long|too many tokens"
)
NO_MODEL = (
    r"model_not_found|invalid model|model\b.{0,120}\b(not exist|not found|unknown)"
)
MODERATED = "moderation|flagged|content.?(filter|policy|management)"
NAME = "{place} does not know the model {model!r}"
PASSES, MAY_COST = {"passing": True}, {"passing": True, "charged": True}
KINDS = (  # the first that fits
    Kind(
        "quota", "402", "", ModelUnavailable,
        "the account at {place} has no credit left (it said: {said}). Top it up, or "
        "change key.",
    ),
    Kind(
        "quota", "429", "insufficient_quota", ModelUnavailable,
        "the account at {place} has no credit left (it said: {said}). Top it up, or "
        "change key.",
    ),
    Kind(
        "moderated", "400|403", MODERATED, CallFailed,
        "{place} does not let this question pass (it said: {said}).",
    ),
    Kind(
        "key", "401|403", "", ModelUnavailable,
        "{place} refused the key for {model!r} (it said: {said}). Set the environment "
        "variable {key}, or pass api_key=, with a key of this endpoint; "
        'model="embedded" needs none.',
    ),
    Kind(
        "context", "400|413|422", OVERFLOW, ContextOverflow,
        "the messages are longer than {model!r} can read{sizes} (it said: {said}). Take "
        "fewer agents, fewer rounds or a shorter history, lower max_tokens, or use a "
        "model with a longer context.",
    ),
    Kind(
        "name", "404", "", ModelUnavailable,
        NAME + ", or has no chat completions at this address ({ending}); it said: {said}."
        "{near} Check the name.",
    ),
    Kind(
        "name", "400", NO_MODEL, ModelUnavailable,
        NAME + " (it said: {said}).{near} Check the name.",
    ),
    Kind(
        "pace", "429", "", CallFailed,
        "{place} allows no more calls for now (it said: {said}). Wait, or lower "
        "concurrency=.", **PASSES,
    ),
    Kind(
        "gateway", "408|504|524", "", CallFailed,
        "{place} answered with error {status}: {said}", **MAY_COST,
    ),
    Kind(
        "ill", "409|5..", "", CallFailed,
        "{place} answered with error {status}: {said}", **PASSES,
    ),
    Kind(
        "status", r"\d+", "", CallFailed,
        "{place} answered with error {status}: {said}",
    ),
    Kind(
        "no connection", "", "", ModelUnavailable,
        "cannot reach {place}: {cause}. Check the address (base_url= or "
        "OPENAI_BASE_URL), that the server runs, and the network; "
        'model="embedded" needs none.', **PASSES,
    ),
    Kind(
        "broken connection", "", "", CallFailed,
        "{place} broke off the connection ({cause}). See whether it still runs.",
        **MAY_COST,
    ),
    Kind(
        "time-out", "", "", CallFailed,
        "{place} did not answer in time. Raise timeout=, or lower max_tokens.",
        **MAY_COST,
    ),
    Kind(
        "no completion", "", "", CallFailed,
        "{place} answered with something that is no chat completion; {ending}: {said}",
        **MAY_COST,
    ),
    Kind(
        "broke off", "", "", CallFailed,
        "{place} broke off its reply, of which nothing came ({said}).", **MAY_COST,
    ),
    Kind(
        "own", "", "", CallFailed,
        "{place} refuses {unmet}, which the setting reasoning= or the entry of {name!r} "
        "in models.toml asks of it; leave that out there (it said: {said}).",
    ),
)  # fmt: skip
BY_NAME = {kind.name: kind for kind in reversed(KINDS)}


def kind_of(refused: Refusal) -> Kind:
    """Of which kind a refusal is."""
    return next(
        (kind for kind in KINDS if kind.fits(refused)), BY_NAME["no completion"]
    )


# -- how a question is put --------------------------------------------------------------

FORMS = ("json_schema", "json_object", "text")  # from the strictest down
EFFORT = "reasoning_effort"
PROMPT = "Reply with JSON only, no other text, that follows this JSON schema:\n"
KEYWORDS = [
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "const",
]
FORM = re.compile(r"response.?format|json_?.?schema|json_?.?object|grammar", re.I)
UNKNOWN = re.compile(r"unrecogni[sz]ed|unknown|unexpected|extra.?(fields|inputs)", re.I)
MOST = re.compile(  # how providers say how large a reply may be
    r"(?:at most|> ?|less than or equal to|up to|maximum of|\[\d+, ?)\W{0,2}(\d[\d,]*)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one endpoint is asked, as far as its refusals have taught."""

    form: int = 0  # of FORMS
    limit: str = "max_tokens"
    left_out: frozenset[str] = frozenset()  # parameters, and keywords of schemas
    most: float = math.inf  # tokens of a reply

    def wire(self, request: Request, profile: Profile) -> dict[str, Any]:
        """A request as the body of a call."""
        asked = json.loads(request.options or "{}")
        wire: dict[str, Any] = {"model": profile.model, "messages": request.chat}
        wire[self.limit] = request.max_tokens
        if profile.temperature is not False:
            wire["temperature"] = request.temperature
        if request.seed is not None and profile.seed:
            wire["seed"] = request.seed
        if EFFORT in asked:
            wire[EFFORT] = asked[EFFORT]
        wire = {name: wire[name] for name in wire if name not in self.left_out}
        wire |= asked.get("extra_body", {})
        if request.schema:
            wire |= self._form(request, request.schema)
        return wire

    def _form(self, request: Request, schema: str) -> dict[str, Any]:
        if FORMS[self.form] == "json_schema":
            return {"response_format": self._strict(json.loads(schema))}
        # At the end, in the user's voice: not every model's template has a system message.
        messages = request.chat
        messages[-1]["content"] += f"\n\n{PROMPT}{schema}"
        form = {"response_format": {"type": "json_object"}}
        return {"messages": messages} | (
            form if FORMS[self.form] == "json_object" else {}
        )

    def _strict(self, schema: Any) -> dict[str, Any]:
        out = self.left_out
        known = rewritten(
            schema, lambda node: {k: node[k] for k in node if k not in out}
        )
        title = re.sub(r"[^a-zA-Z0-9]", "_", known.get("title", "reply"))[:64]
        form = {"name": title, "strict": True, "schema": known}
        return {"type": "json_schema", "json_schema": form}

    def taught(
        self, refused: Refusal, wire: Mapping[str, Any], own: frozenset[str]
    ) -> tuple[Dialect, str] | None:
        """What a refusal teaches, in a sentence; None where that is nothing new.

        Parameters of the user's `own` are never left out.
        """
        asks = wire.keys() - own
        bound = MOST.search(refused.words)
        if bound and refused.names(self.limit):
            most = int(bound[1].replace(",", ""))
            if most < wire.get(self.limit, 0):
                most = int(min(self.most, most))
                return replace(self, most=most), f"A reply has at most {most} tokens."
        other = "max_completion_tokens"
        if "max_tokens" in asks and other in refused.words:
            return replace(self, limit=other), f"{other} stands for max_tokens."
        for name in ("temperature", "seed", EFFORT):
            if name in asks and refused.names(name):
                if name == EFFORT and re.search(rf"\b{wire[name]}\b", refused.words):
                    return None  # it says which other ones it takes
                return self._without(name), f"It takes no {name}: none is sent."
        about_form = FORM.search(refused.words) or refused.names("response_format")
        if "response_format" in asks and about_form:
            return self._simpler(refused, json.dumps(wire["response_format"]))
        return None

    def _without(self, name: str) -> Dialect:
        return replace(self, left_out=self.left_out | {name})

    def _simpler(self, refused: Refusal, sent: str) -> tuple[Dialect, str]:
        """The schema without a keyword that was refused, or put in another way."""
        words = FORM.sub("", refused.words)
        for keyword in KEYWORDS:
            if re.search(rf"\b{keyword}\b", words) and f'"{keyword}":' in sent:
                told = "in a schema: that is left out there, and checked here."
                return self._without(keyword), f"It knows no {keyword} {told}"
        form = len(FORMS) - 1 if UNKNOWN.search(words) else self.form + 1
        by_object = "by response_format json_object, and in the prompt"
        way = by_object if form == 1 else "in the prompt alone"
        told = f"It takes no {FORMS[self.form]}: a schema is put {way}."
        return replace(self, form=form), told


# -- what a reply says ------------------------------------------------------------------

THOUGHT = re.compile(r"\s*(?:<think(?:ing)?>)?(.*?)</think(?:ing)?>\s*", re.S)
BROKEN = ("error", "content_filter")  # reasons to finish that are none


def read(answer: Any, latency: float) -> tuple[Completion, int] | Refusal:
    """A completion, and its tokens of thinking; or the refusal that stands in its place."""
    match answer:
        case {"choices": [{"message": {} as message} as choice, *_]}:
            pass
        case {"error": _} | [{"error": _}, *_] | {"detail": _}:
            return refusal(None, answer)
        case _:
            return Refusal(None, json.dumps(answer))
    text, thinking = _texts(message.get("content"))
    thinking += "".join(
        _texts(message.get("reasoning_content") or message.get("reasoning"))
    )
    text = text or _called(message) or _texts(message.get("refusal"))[0]
    reason = choice.get("finish_reason") or "stop"
    if reason in BROKEN and not text.strip():
        return Refusal(None, f"finish_reason {reason}", cause="broke off")
    found = THOUGHT.match(text)
    if found:
        text, thinking = text[found.end() :], thinking or found[1].strip()
    elif re.match(r"\s*<think(ing)?>", text):  # cut off before the end of its thinking
        text, thinking = "", thinking or text
    usage = answer.get("usage")
    count = partial(_count, usage if isinstance(usage, dict) else {})
    completion = Completion(
        _whole(text),
        count("prompt_tokens"),
        count("completion_tokens"),
        reason,
        latency,
        count("prompt_tokens_details", "cached_tokens"),
        _whole(thinking),
    )
    return completion, count("completion_tokens_details", "reasoning_tokens")


def _texts(content: Any) -> tuple[str, str]:
    """Text and thinking of a content: a text, nothing, or a list of parts."""
    match content:
        case str():
            return content, ""
        case {"type": "thinking" | "reasoning" as kind, **rest}:
            return "", "".join(_texts(rest.get(kind) or rest.get("text")))
        case {"text": str(text)}:
            return text, ""
        case list():
            texts, thoughts = (
                zip(*map(_texts, content), strict=True) if content else ("", "")
            )
            return "".join(texts), "".join(thoughts)
    return "", ""


def _called(message: Mapping[str, Any]) -> str:
    """The arguments of a call that stands in the place of a text."""
    match message:
        case {"tool_calls": [{"function": {"arguments": arguments}}, *_]}:
            return arguments if isinstance(arguments, str) else json.dumps(arguments)
        case {"function_call": {"arguments": str(arguments)}}:
            return arguments
    return ""


def _count(usage: Mapping[str, Any], *names: str) -> int:
    """A count that nobody has checked; 0 where it is none."""
    said: Any = usage
    for name in names:
        said = said.get(name) if isinstance(said, dict) else None
    known = isinstance(said, int | float) and not isinstance(said, bool)
    return int(said) if known and 0 < said < math.inf else 0


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()  # half characters cannot be kept


def objects(text: str) -> Iterator[str]:
    """The JSON objects in a text, the last first, and what they wrap.

    >>> list(objects('About {this}: {"Form": {"a": 1}}, I think.'))
    ['{"Form": {"a": 1}}', '{"a": 1}']
    """
    found: list[tuple[str, Any]] = []
    decoder, end = json.JSONDecoder(), 0
    for begin in re.finditer(r'\{\s*["}]', text):
        if begin.start() >= end:
            with suppress(ValueError, RecursionError):
                value, end = decoder.raw_decode(text, begin.start())
                found.append((text[begin.start() : end], value))
    plain = re.sub(r",(\s*[}\]])", r"\1", text)
    if not found and plain != text:  # a comma too many
        yield from objects(plain)
    for said, value in reversed(found):
        yield said
        inner = next(iter(value.values())) if len(value) == 1 else None
        if isinstance(inner, dict):
            yield json.dumps(inner)


# -- who answered ---------------------------------------------------------------------

DATED = re.compile(
    r"([-@:_.](\d{4}-\d\d-\d\d|\d{3,4}|\d{6}|\d{8}|preview(-\d\d-\d\d)?|exp|v\d+))+$"
)


def same_model(asked: str, answered: str) -> bool:
    """Whether the name of who answered is that of whom was asked, as providers put it.

    A snapshot of a family is that family, the end of a path is its model; another
    snapshot than the one that was asked for is another model.

    >>> same_model("gpt-4o-mini", "openai/gpt-4o-mini-2024-07-18")
    True
    >>> same_model("gpt-4o", "gpt-4o-mini")
    False
    """
    wanted, heard = _bare(asked), _bare(answered)
    return not heard or wanted in (heard, DATED.sub("", heard))


def _bare(name: str) -> str:
    words = name.lower().split()
    last = re.split(r"[/\\]", words[0])[-1] if words else ""
    return re.sub(r"(\.gguf|[-:]latest|:free)$", "", last)
