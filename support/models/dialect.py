"""How providers of one API differ: what they refuse, how they say so, how they reply.

One table of refusals (`KINDS`), one of lessons (`Dialect.taught`), one of shapes of a
reply (`read`). Nothing here sends, waits or keeps anything.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from support.errors import (
    CallFailed,
    ContextOverflow,
    Filtered,
    ModelError,
    ModelUnavailable,
)
from support.models.profiles import Profile
from support.models.request import Completion, Request, rewritten

# -- what a refusal says --------------------------------------------------------------

# Parts of a body that say nothing to a reader, and those whose own name says nothing.
SILENT = {"object", "input", "ctx", "url", "id", "request_id", "failed_generation"}
PLAIN = re.compile(r"|message|msg|details?|errors?|raw|code|type|status|title|reason")
PARAM = {"param", "parameter", "field", "loc"}
SENT = re.compile(r"temperature|seed|max_|response_format|reasoning|stream|messages")
BAD_KEY = (
    r"no_db_connection|no api key|auth_error|unauthorized|authentication"
    r"|api.?key.{0,30}(invalid|not valid|incorrect|missing|required|expired)"
    r"|(invalid|incorrect|missing|expired).{0,20}(api.?key|credential)"
)
NO_CREDIT = (
    "insufficient.?(quota|credit|balance|fund)|credit balance|payment required"
    "|billing_hard_limit"
)
UNKNOWN = "unrecogni[sz]ed|unknown|unexpected|extra.?(fields|inputs)|extra_forbidden"
REFUSES = (
    f"{UNKNOWN}|invalid|unsupported|only|must|should be|cannot|does ?n[o']t|fail"
    "|not (support|permit|allow|implement|available|valid|enabled)|disallowed"
)
IMPLIED = (  # the status of an error within a 200 that names none
    (401, BAD_KEY),
    (402, NO_CREDIT),
    (429, "rate.?limit|too many|throttl|quota"),
    (400, f"{UNKNOWN}|invalid|unsupported|not support"),
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is none: its status, its words, and which parameters it names."""

    status: int | None
    words: str
    params: tuple[str, ...] = ()
    sizes: str = ""  # how long the prompt was, and may be
    cause: str = ""  # by its name in `KINDS`, where no status says it
    detail: str = ""  # of a connection that failed
    retry_after: float | None = None
    had: Completion | None = None  # what came of a reply that broke off, for its usage

    def names(self, parameter: str) -> bool:
        """Whether it is about a parameter: by the field that says so, or by its words."""
        said = [param for param in self.params if SENT.match(param)] or [self.words]
        return any(re.search(rf"\b{parameter}\b", text) for text in said)

    def says(self, pattern: str | re.Pattern[str]) -> bool:
        """Whether its words match."""
        return re.search(pattern, self.words, re.I) is not None

    @property
    def teaches(self) -> bool:
        """Whether it may be about how the question was put."""
        if self.status in (None, 401, 402, 429):
            return False
        if kind_of(self).name in ("moderated", "context"):
            return False
        return self.status in (400, 422) or self.says(REFUSES)


def refusal(status: int | None, body: Any, **more: Any) -> Refusal:
    """Read the body of an error in whichever shape it comes; no status: within a 200."""
    leaves = list(_leaves(body))
    fields = dict(leaves)
    params = [text for name, text in leaves if name in PARAM]
    said = [_worded(*leaf) for leaf in leaves if leaf[0] not in SILENT | PARAM]
    words = " ".join(dict.fromkeys(filter(None, said)))
    unsaid = [param for param in params if param not in words]
    words += f" ({', '.join(unsaid)})" if unsaid else ""
    if {"n_prompt_tokens", "n_ctx"} <= fields.keys():  # llama.cpp
        read, most = fields["n_prompt_tokens"], fields["n_ctx"]
        more["sizes"] = f": {read} tokens, and it reads {most}"
    if status is None:
        status = _implied(fields, words)
    return Refusal(status, words, tuple(params), **more)


def _leaves(node: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text and number of a body, with the name under which it stands."""
    match node:
        case None | "" | "None" | "null":
            return
        case list() if name == "loc":  # FastAPI
            yield name, ".".join(str(part) for part in node if part != "body")
        case list():
            for part in node:
                yield from _leaves(part, name)
        case dict():
            for key in sorted(node, key=lambda key: key not in ("message", "msg")):
                yield from _leaves(node[key], key)
        case _:
            yield name, str(node)


def _worded(name: str, text: str) -> str:
    if text.isdigit():
        return ""
    return text if PLAIN.fullmatch(name) else f"{name}: {text}"


def _implied(fields: Mapping[str, str], words: str) -> int:
    for name in ("code", "status", "status_code"):
        if re.fullmatch("[45]..", fields.get(name, "")):
            return int(fields[name])
    for status, pattern in IMPLIED:
        if re.search(pattern, words, re.I):
            return status
    return 502


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
    waits: bool = False  # worth waiting for until the deadline

    def fits(self, refused: Refusal) -> bool:
        """Whether a refusal is of this kind."""
        if refused.status is None or not re.fullmatch(self.status, str(refused.status)):
            return False
        return refused.says(self.words)


OVERFLOW = (
    "context_length_exceeded|exceed_context_size|context (length|size|window)"
    "|prompt is too long|too many tokens|input is too long"
)
NO_MODEL = (
    r"model_not_found|invalid model|model\b.{0,120}\b(not exist|not found|unknown)"
    "|access to (the )?model|pinned to"
)
MODERATED = (
    "moderat|flagged|content.?(filter|policy|management|violat|exists risk)"
    "|usage (polic|guideline)|inappropriate|responsible.?ai|data_inspection"
    r"|safety.?(check|system|filter|polic)|prohibited.?content|guardrail|sensitive"
    r"|violat\w* .{0,40}(polic|guideline|terms)"
)
BEHIND = r"litellm\.auth|(exception|upstream|provider|backend)\b.*\b(key|auth\w*|credentials?)\b"
LOST = (
    "connection.?(error|refused|reset|aborted)|apiconnection|bad gateway"
    "|(cannot|can't|could not|failed to|unable to) connect|no healthy|unavailable"
)
KEY = (
    "{place} refused the key for {model!r} (it said: {said}). {mend}; "
    'model="embedded" needs none.'
)
CREDIT = (
    "the account at {place} has no credit left (it said: {said}). Top it up, or "
    "change key."
)
NAME = "{place} does not know the model {model!r}"
ERROR = "{place} answered with error {status}: {said}"
PASSES, MAY_COST = {"passing": True}, {"passing": True, "charged": True}
KINDS = (  # the first that fits
    Kind("quota", "402", "", ModelUnavailable, CREDIT),
    Kind("quota", "400|403|429", NO_CREDIT, ModelUnavailable, CREDIT),
    Kind(
        "moderated",
        "400|403|422|451",
        MODERATED,
        Filtered,
        "{place} does not let this question pass (it said: {said}).",
    ),
    Kind(
        "key behind",
        "40[0-3]|500",
        BEHIND,
        ModelUnavailable,
        "a server behind {place} refused the key with which it was asked for {model!r} "
        "(it said: {said}). Mend the key there; {key} opens {place} alone.",
    ),
    Kind("key", "400|422|500", BAD_KEY, ModelUnavailable, KEY),
    Kind("name", "403", NO_MODEL, ModelUnavailable, NAME + " for this key: {said}."),
    Kind("key", "401|403", "", ModelUnavailable, KEY),
    Kind(
        "context",
        "400|413|422|500",
        OVERFLOW,
        ContextOverflow,
        "the messages are longer than {model!r} can read{sizes} (it said: {said}). Take "
        "fewer agents, fewer rounds or a shorter history, lower max_tokens, or use a "
        "model with a longer context.",
    ),
    Kind(
        "name",
        "404",
        "",
        ModelUnavailable,
        NAME
        + ", or has no chat completions at this address ({ending}); it said: {said}."
        "{near} Check the name.",
    ),
    Kind(
        "name",
        "400|500",
        NO_MODEL,
        ModelUnavailable,
        NAME + " (it said: {said}).{near} Check the name.",
    ),
    Kind(
        "off form",
        "400",
        "json_validate_failed|failed to generate json",
        CallFailed,
        "{model!r} at {place} did not keep to the form, and its reply was withheld "
        "(it said: {said}).",
        **MAY_COST,
    ),
    Kind(
        "pace",
        "429",
        "",
        CallFailed,
        "{place} allows no more calls for now (it said: {said}). Wait, or lower "
        "concurrency=.",
        **PASSES,
    ),
    Kind(
        "loading",
        "5..",
        "loading|warming|starting",
        CallFailed,
        ERROR,
        **PASSES,
        waits=True,
    ),
    Kind("gateway", "504", "", CallFailed, ERROR, **MAY_COST, waits=True),
    Kind("lost", "502|503|52[0-3]|530", "", CallFailed, ERROR, **PASSES, waits=True),
    Kind("lost", "500", LOST, CallFailed, ERROR, **PASSES, waits=True),
    Kind("gateway", "408|524", "", CallFailed, ERROR, **MAY_COST),
    Kind("ill", "409|5..", "", CallFailed, ERROR, **PASSES),
    Kind("status", r"\d+", "", CallFailed, ERROR),
    Kind(
        "no connection",
        "",
        "",
        ModelUnavailable,
        "cannot reach {place}: {cause}. Check the address (base_url= or "
        "OPENAI_BASE_URL), that the server runs, and the network; "
        'model="embedded" needs none.',
        **PASSES,
        waits=True,
    ),
    Kind(
        "broken connection",
        "",
        "",
        CallFailed,
        "{place} broke off the connection ({cause}). See whether it still runs.",
        **MAY_COST,
    ),
    Kind(
        "no completion",
        "",
        "",
        CallFailed,
        "{place} answered with something that is no chat completion; {ending}: {said}",
        **MAY_COST,
    ),
    Kind(
        "broke off",
        "",
        "",
        CallFailed,
        "{place} broke off its reply ({said}): nothing of it is taken.",
        **MAY_COST,
    ),
    Kind(
        "filtered",
        "",
        "",
        Filtered,
        "a filter at {place} broke off the reply ({said}).",
        **MAY_COST,
    ),
    Kind(
        "own",
        "",
        "",
        CallFailed,
        "{place} refuses {unmet}, which the setting reasoning= or the entry of {name!r} "
        "in models.toml asks of it; leave that out there (it said: {said}).",
    ),
    Kind(
        "other",
        "",
        "",
        ModelUnavailable,
        "{place} lists {model!r}, and does not answer for it: {said}. Check what its "
        "own configuration says of that model, and what stands behind it.",
    ),
)
BY_NAME = {kind.name: kind for kind in reversed(KINDS)}


def kind_of(refused: Refusal) -> Kind:
    """Of which kind a refusal is."""
    if refused.cause:
        return BY_NAME[refused.cause]
    fitting = (kind for kind in KINDS if kind.fits(refused))
    return next(fitting, BY_NAME["no completion"])


# -- how a question is put ------------------------------------------------------------

FORMS = ("json_schema", "json_object with schema", "json_object", "text")
EFFORT = "reasoning_effort"
PROMPT = "Reply with JSON only, no other text, that follows this JSON schema:\n"
LARGE = 64  # bounds above it let grammars grow until a server crashes
BOUNDS = ("minLength", "maxLength", "minItems", "maxItems")
# What a schema cannot do without; all else in it is checked here as well.
NEEDED = {"type", "properties", "required", "items", "enum", "anyOf", "$ref", "$defs"}
FORM = (
    r"response.?(format|schema)|output_(config|format)(.format)?|json.?(schema|object|mode)"
    r"|structured.?outputs?|grammar|guided\w*"
)
ROLE = (
    r"(system|developer) (role|messages?\b|prompt|instruction)"
    r"|role\W.{0,40}(system|developer)|roles must alternate|only user"
)
STREAM = (
    r"(only|must|enable|require|non).{0,30}\bstream"
    r"|\bstream.{0,30}(only|must|enable|require|true)"
)
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
    user_only: bool = False  # it takes no system message
    streams: bool = False  # it answers in a stream, or not at all

    def wire(self, request: Request, profile: Profile) -> dict[str, Any]:
        """A request as the body of a call."""
        asked = json.loads(request.options or "{}")
        chat = by_user(request.chat) if self.user_only else request.chat
        wire: dict[str, Any] = {"model": profile.model, "messages": chat}
        wire[self.limit] = request.max_tokens
        if profile.temperature is not False:
            wire["temperature"] = request.temperature
        if request.seed is not None and profile.seed:
            wire["seed"] = request.seed
        if EFFORT in asked:
            wire[EFFORT] = asked[EFFORT]
        if self.streams:
            wire |= {"stream": True, "stream_options": {"include_usage": True}}
        wire = {name: wire[name] for name in wire if name not in self.left_out}
        wire |= asked.get("extra_body", {})
        if request.schema:
            if self.form:
                # In the user's voice: not every model's template has a system message.
                chat[-1]["content"] += f"\n\n{PROMPT}{request.schema}"
            form = _form(request.schema, FORMS[self.form], self.left_out)
            wire |= {"response_format": form} if form else {}
        return wire

    def taught(
        self, refused: Refusal, wire: Mapping[str, Any], own: Set[str]
    ) -> tuple[Dialect, str] | None:
        """What a refusal teaches, in a sentence; None where that is nothing new.

        Parameters of the user's `own` are never left out.
        """
        asks = wire.keys() - own
        other = "max_completion_tokens"
        if refused.names(self.limit) or other in refused.words:
            bound = MOST.search(refused.words)
            most = int(bound[1].replace(",", "")) if bound else 0
            if 0 < most < wire.get(self.limit, 0):
                most = int(min(self.most, most))
                return replace(self, most=most), f"A reply has at most {most} tokens."
            if not bound and "max_tokens" in asks:
                return replace(self, limit=other), f"{other} stands for max_tokens."
        for name in ("temperature", "seed", "stream_options"):
            if name in asks and refused.names(name):
                left_out = self.left_out | {name}
                told = f"It takes no {name}: none is sent."
                return replace(self, left_out=left_out), told
        roles = {message["role"] for message in wire["messages"]}
        if roles & {"system", "developer"} and refused.says(ROLE):
            told = (
                "It takes no system message: that stands before the user's first one."
            )
            return replace(self, user_only=True), told
        if "stream" not in wire and refused.says(STREAM):
            return self.streaming()
        about_form = refused.says(FORM) or refused.names("response_format")
        if "response_format" in asks and about_form:
            return self._simpler(refused, wire["response_format"])
        return None

    def streaming(self) -> tuple[Dialect, str]:
        """The dialect of an endpoint that answers in a stream."""
        return replace(self, streams=True), "It streams: its replies are joined here."

    def _simpler(self, refused: Refusal, sent: Any) -> tuple[Dialect, str]:
        """The schema without a keyword that was refused, or put in another way."""
        words = re.sub(FORM, "", refused.words + " ".join(refused.params), flags=re.I)
        words = re.sub("_([a-z])", lambda begin: begin[1].upper(), words)
        used = _keywords(sent) - NEEDED
        named = {word for word in used if re.search(rf"\b{word}\b", words)}
        if named:
            said = ", ".join(sorted(named))
            told = f"It knows no {said} in a schema: left out there, and checked here."
            return replace(self, left_out=self.left_out | named), told
        form = self.form + 1
        typed = re.search(r"json.?(schema|object)|\bschema", refused.words)
        unknown = re.search(UNKNOWN, refused.words, re.I) and not typed
        by_text = refused.says(r"['\"`]text['\"`]") and not refused.says("json.?object")
        if unknown or by_text or (self.form and not refused.says(r"(?<!json_)schema")):
            form = len(FORMS) - 1
        way = f"by {FORMS[form]}, and in the prompt"
        if form == len(FORMS) - 1:
            way = "in the prompt alone"
        told = f"It takes no {FORMS[self.form]}: a schema is put {way}."
        return replace(self, form=form), told


@lru_cache(maxsize=256)
def _form(schema: str, form: str, left_out: frozenset[str]) -> dict[str, Any] | None:
    """The response_format of a schema."""
    if form == "text":
        return None
    if form == "json_object":
        return {"type": form}

    def known(node: dict[str, Any]) -> dict[str, Any]:
        kept = {name: node[name] for name in node if name not in left_out}
        for name in BOUNDS if form != "json_schema" else ():
            if kept.get(name, 0) > LARGE:
                del kept[name]
        return kept

    parsed = rewritten(json.loads(schema), known)
    if form != "json_schema":
        return {"type": "json_object", "schema": parsed}
    title = re.sub(r"[^a-zA-Z0-9]", "_", parsed.get("title", "reply"))[:64]
    made = {"name": title, "schema": parsed}
    made |= {} if "strict" in left_out else {"strict": True}
    return {"type": form, form: made}


def _keywords(sent: Any) -> set[str]:
    """The keywords of the schema in a response_format, `strict` among them."""
    inner = sent.get("json_schema", sent)
    found = {"strict"} & inner.keys()

    def seen(node: dict[str, Any]) -> dict[str, Any]:
        found.update(node)
        return {**node}

    rewritten(inner.get("schema", {}), seen)
    return found


def by_user(chat: list[dict[str, str]]) -> list[dict[str, str]]:
    """Messages in which a system's text begins the user's, and nobody speaks twice."""
    made: list[dict[str, str]] = []
    for message in chat:
        role = "assistant" if message["role"] == "assistant" else "user"
        if made and made[-1]["role"] == role:
            made[-1]["content"] += f"\n\n{message['content']}"
        else:
            made.append({"role": role, "content": message["content"]})
    return made


# -- what a reply says ----------------------------------------------------------------

TAG = "(?:think|thinking|thought|reasoning)"
BEGUN = re.compile(rf"\s*[<\[]{TAG}[>\]]", re.I)
THOUGHT = re.compile(rf"\s*(?:[<\[]{TAG}[>\]])?(.*?)[<\[]/{TAG}[>\]]\s*", re.S | re.I)
THINKS = ("reasoning_content", "reasoning", "thinking", "reasoning_details")
INNER = ("text", "value", "content", "parts", "refusal", "output_text")
CUT = {"max_tokens", "model_length", "max_output_tokens"}
FILTER = {
    "content_filter",
    "safety",
    "prohibited_content",
    "recitation",
    "blocklist",
    "spii",
    "sensitive",
    "guardrail_intervened",
}
WRONG = {"error", "errors", "detail", "code", "message", "msg"}
BROKEN = {
    "error",
    "abort",
    "aborted",
    "cancelled",
    "network_error",
    "broken off",
    "insufficient_system_resource",
    "malformed_function_call",
}


def joined(body: str) -> Any:
    """The answer that the chunks of a stream make together."""
    lines = [line[5:].strip() for line in body.splitlines() if line[:5] == "data:"]
    made: dict[str, Any] = {"choices": [{"finish_reason": "broken off"}]}
    texts: dict[str, str] = {}
    for line in lines:
        chunk = json.loads(line) if line and line != "[DONE]" else {}
        if "error" in chunk:
            return chunk
        for choice in chunk.get("choices") or ():
            for name, text in _pieces(choice.get("delta") or {}):
                texts[name] = texts.get(name, "") + text
            if choice.get("finish_reason"):
                made["choices"] = [{"finish_reason": choice["finish_reason"]}]
        made |= {k: v for k, v in chunk.items() if k != "choices" and v is not None}
    call = {"arguments": texts.pop("call", "")}
    message = {**texts, "function_call": call}
    made["choices"][0]["message"] = message
    return made


def _pieces(delta: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a chunk adds: to the text, to the thinking, to the arguments of a call."""
    text, thought = _texts(delta.get("content"))
    yield "content", text
    yield "reasoning", thought + "".join(_texts(_thinking(delta)))
    yield "call", _called(delta)


def _thinking(message: Mapping[str, Any]) -> Any:
    return next((message[name] for name in THINKS if message.get(name)), None)


def read(answer: Any, latency: float) -> Completion | Refusal:
    """A completion; or the refusal that stands in its place."""
    choice: dict[str, Any] = {}
    wrong: Any = None
    match answer:
        case {"choices": [dict() as choice, *_]}:
            wrong = answer.get("error") or choice.get("error")
        case [{}, *_]:
            wrong = answer
        case dict() if answer.keys() & WRONG:
            wrong = answer
    if wrong:
        return refusal(None, wrong)
    message = choice.get("message") or {"content": choice.get("text")}
    if not choice or not isinstance(message, dict):
        return Refusal(None, json.dumps(answer), cause="no completion")
    completion = _completion(answer, choice, message, latency)
    reason = completion.finish_reason
    silent = not completion.text.strip() and reason != "length"
    if not silent and reason not in BROKEN | FILTER:
        return completion
    cause = "filtered" if reason in FILTER else "broke off"
    came = "half" if completion.text.strip() else "empty"
    said = f"it is {came}, finish_reason {reason!r}"
    return Refusal(None, said, cause=cause, had=completion)


def _completion(
    answer: Any, choice: Mapping[str, Any], message: Mapping[str, Any], latency: float
) -> Completion:
    text, thinking = _texts(message.get("content"))
    thinking += "".join(_texts(_thinking(message)))
    said = [text, _called(message)]
    text = "\n".join(filter(None, said)) or _texts(message.get("refusal"))[0]
    if found := THOUGHT.match(text):
        text, thinking = text[found.end() :], thinking or found[1].strip()
    elif BEGUN.match(text):  # cut off before the end of its thinking
        text, thinking = "", thinking or text
    reason = str(choice.get("finish_reason") or "stop").lower()
    usage = answer.get("usage")
    count = partial(_count, usage if isinstance(usage, dict) else {})
    return Completion(
        _whole(text),
        count("prompt_tokens"),
        count("completion_tokens"),
        "length" if reason in CUT else reason,
        latency,
        count("prompt_tokens_details", "cached_tokens"),
        _whole(thinking),
        count("completion_tokens_details", "reasoning_tokens"),
        _whole(str(answer.get("model") or "")),
        _whole(str(answer.get("system_fingerprint") or "")),
    )


def _texts(content: Any) -> tuple[str, str]:
    """Text and thinking of a content: a text, nothing, a part, or a list of parts."""
    match content:
        case str():
            return content, ""
        case list():
            pairs = [_texts(part) for part in content]
            return "".join(p[0] for p in pairs), "".join(p[1] for p in pairs)
        case {"type": "thinking" | "reasoning" | "reasoning.text" as kind, **rest}:
            inner = [rest.get(name) for name in (kind, "summary", *INNER)]
            return "", "".join("".join(_texts(part)) for part in inner)
        case {"type": "tool_use", "input": dict() as given}:
            return json.dumps(given), ""
        case dict():
            inner = [content[name] for name in INNER if name in content]
            if inner or "type" in content:
                return _texts(inner)
            return (json.dumps(content) if content else ""), ""
    return "", ""


def _called(message: Mapping[str, Any]) -> str:
    """The arguments of the calls that stand beside a text, or in its place."""
    calls = list(message.get("tool_calls") or ())
    functions = [call.get("function") or call for call in calls]
    functions.append(message.get("function_call") or {})
    names = ("arguments", "parameters", "input")
    given = [f.get(name) for f in functions for name in names]
    texts = [arg if isinstance(arg, str) else json.dumps(arg) for arg in given if arg]
    return "\n".join(texts)


def _count(usage: Mapping[str, Any], *names: str) -> int:
    """A count that nobody has checked; 0 where it is none."""
    said: Any = usage
    for name in names:
        said = said.get(name) if isinstance(said, dict) else None
    known = isinstance(said, int | float) and not isinstance(said, bool)
    return int(said) if known and 0 < said < math.inf else 0


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()  # half characters cannot be kept


DECODER = json.JSONDecoder(strict=False)  # lines may be broken within a text


def objects(text: str) -> list[str]:
    """The JSON objects in a text, the last first, and what they wrap.

    An object in a list is read where it is the only one.

    >>> objects('About {this}: {"Form": {"a": 1}}, I think.')
    ['{"Form": {"a": 1}}', '{"a": 1}']
    """
    found = _values(text)
    plain = re.sub(r",(\s*[}\]])", r"\1", text)
    if not found and plain != text:  # a comma too many
        found = _values(plain)
    if not found:
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            found = [ast.literal_eval(text[text.index("{") : text.rindex("}") + 1])]
    return [one for value in reversed(found) for one in _unwrapped(value)]


def _values(text: str) -> list[Any]:
    found, end, text = [], 0, text.strip()
    for begin in re.finditer(r'^"|\{(?=\s*["}])|\[(?=\s*\{\s*["}])', text):
        if begin.start() >= end:
            with suppress(ValueError, RecursionError):
                value, end = DECODER.raw_decode(text, begin.start())
                found.append(value)
    return found


def _unwrapped(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield from objects(value)
        case [one]:
            yield from _unwrapped(one)
        case dict():
            said = json.dumps(value, ensure_ascii=False, default=str)
            within = [part for part in value.values() if "{" in str(part)]
            wrapped = list(_unwrapped(within[0])) if len(within) == 1 else []
            called = value.keys() & {"arguments", "parameters", "function"}
            yield from [*wrapped, said] if called else [said, *wrapped]


def could_be(text: str, schema: str) -> bool:
    """Whether a text holds an object with all fields that a schema requires."""
    required = set(json.loads(schema).get("required", ()))
    return any(required <= json.loads(found).keys() for found in objects(text))


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
    return re.sub(r"(@[\w.-]+|\.gguf|[-:]latest|:free)$", "", last)
