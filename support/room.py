"""A class at one table: each person has a link of their own, in any study and role.

    seats = {"Ana": "human", "Ben": "human", "Cleo": "conceder"}
    study = Study("class", "exchange_economy", rule="majority", seats=seats, groups=1)
    async with room(["Ana", "Ben"], patience=300) as links:
        print(links)
        await study.run()

A name is that of a seat; who leads is called by the role ("coordinator", "evaluator").
A link is a page that shows what its person is asked, one question after the other, as
text above a form. It holds a secret: whoever has it sits in that place. A page that was
closed can be opened again; what was typed is kept there.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from support.errors import InvalidInput, MissingData, Silent
from support.forms import field_of, readable, template
from support.seats import Question, people

HERE = "127.0.0.1"
LARGEST = 64 * 1024  # bytes of an answer
FAREWELLS = 20  # tenths of a second in which open pages hear that the run is over
POLL = 20.0  # seconds that a page's question for news is kept open
OPEN = (
    "whoever is in this network and has, or overhears, a link answers in that "
    "person's place: pages are sent unencrypted"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
POLICY = (
    "default-src 'none'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'; style-src 'nonce-{0}'; script-src 'nonce-{0}'"
)


@asynccontextmanager
async def room(
    names: Sequence[str],
    *,
    patience: float | None = None,
    port: int = 0,
    host: str = HERE,
    open_to_network: bool = False,
) -> AsyncIterator[dict[str, str]]:
    """Within it, seats of the kind "human" with these names are asked in browsers.

    Yields a secret link for each name. Who is silent for `patience` seconds is passed
    over, and the record says so, as of a reply that never fits its form. Links work on
    this machine only, unless `host` is an address of it in a network, and
    `open_to_network` confirms what that means (`OPEN`).
    """
    if host != HERE and not open_to_network:
        raise InvalidInput(
            f"host: {host!r} given; {OPEN}; open_to_network=True says that you mean it"
        )
    blank = isinstance(names, str) or not all(name.strip() for name in names)
    if blank or len(set(names)) < len(names) or not names:
        raise InvalidInput(f"names: {names!r} given; expected some, each once")
    questions: asyncio.Queue[Question] = asyncio.Queue()
    places = {secrets.token_urlsafe(24): Place(name) for name in names}
    site = Site(places)
    runner = web.AppRunner(site.application(), shutdown_timeout=1)
    await runner.setup()
    listening = asyncio.ensure_future(_hand_out(questions, places, patience))
    try:
        await web.TCPSite(runner, host, port).start()
        site.address = f"{host}:{runner.addresses[0][1]}"
        with people(questions):
            links = {}
            for token, place in places.items():
                links[place.name] = f"http://{site.address}/{token}"
            yield links
    finally:
        listening.cancel()
        for place in places.values():
            place.close()
        for _ in range(FAREWELLS):
            if any(place.looking for place in places.values()):
                await asyncio.sleep(0.1)
        await runner.cleanup()


async def _hand_out(
    questions: asyncio.Queue[Question],
    places: dict[str, Place],
    patience: float | None,
) -> None:
    """Give each question to its person; one that cannot be answered here is passed over."""
    by_name = {place.name: place for place in places.values()}
    loop = asyncio.get_running_loop()
    while True:
        question = await questions.get()
        place = by_name.get(question.me)
        if place is None:
            links = ", ".join(by_name)
            told = f"{question.me!r} is asked, and the room has links for {links}"
            question.pass_over(MissingData(told))
            continue
        place.asked.append(question)
        place.changed.set()
        if patience is not None:
            loop.call_later(patience, place.pass_over, question, patience)


@dataclass
class Place:
    """What one person was asked so far; the first that is open is on their page.

    `looking`: the page is open, and has not heard that nothing comes any more.
    """

    name: str
    asked: list[Question] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    note: str = ""
    over: bool = False
    looking: bool = False

    def first(self) -> tuple[int, Question | None]:
        """The number of the question on the page, from 1, and the question; 0 and None."""
        for number, question in enumerate(self.asked, start=1):
            if not question.closed:
                return number, question
        return 0, None

    async def news(self, seen: int) -> None:
        """Wait until something else than what was seen is on the page, some seconds at most."""
        loop = asyncio.get_running_loop()
        until = loop.time() + POLL
        while self.first()[0] == seen and not self.over:
            self.changed.clear()
            try:
                await asyncio.wait_for(self.changed.wait(), until - loop.time())
            except TimeoutError:
                return

    def pass_over(self, question: Question, patience: float) -> None:
        """Go on without an answer that is late."""
        if not question.closed:
            why = f"{self.name} was silent for {patience:g} seconds"
            question.pass_over(Silent(why))
            self.note = (
                f"There was no answer within {patience:g} seconds, and the others "
                "went on without it."
            )
            self.changed.set()

    def close(self) -> None:
        """Nothing is asked any more."""
        self.over = True
        self.changed.set()


class Site:
    """The pages of a room, each below a token that names nobody."""

    def __init__(self, places: dict[str, Place]) -> None:
        self.places = places
        self.address = ""

    def application(self) -> web.Application:
        """What serves them."""
        app = web.Application(client_max_size=LARGEST, middlewares=[self._guarded])
        app.add_routes(
            [
                web.get("/{token}", self.page),
                web.get("/{token}/next", self.next),
                web.post("/{token}/answer", self.answer),
            ]
        )
        return app

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Callable[..., Any]) -> Any:
        """For this address only, and for nobody who is sent here by another page."""
        origin = request.headers.get("Origin", f"http://{self.address}")
        if request.host != self.address or origin != f"http://{self.address}":
            raise web.HTTPForbidden
        response = await handler(request)
        response.headers.update(HEADERS)
        return response

    def _place(self, request: web.Request) -> Place:
        place = self.places.get(request.match_info["token"])
        if place is None:
            raise web.HTTPNotFound
        return place

    async def page(self, request: web.Request) -> web.Response:
        """The page of a person; its script asks for what is on it."""
        nonce = secrets.token_urlsafe(16)
        text = _views().page(self._place(request).name, nonce)
        headers = {"Content-Security-Policy": POLICY.format(nonce)}
        return web.Response(
            text=str(text),
            content_type="text/html",
            headers=headers,
        )

    async def next(self, request: web.Request) -> web.Response:
        """The question on the page as HTML, once it is another than the one seen."""
        place = self._place(request)
        seen = request.query.get("seen", "")[:9]
        if seen.isdecimal():
            await place.news(int(seen))
        number, question = place.first()
        place.looking = not place.over
        shown = str(_views().question(*_parts_of(question, number), place.note))
        return web.json_response(
            {
                "number": number,
                "html": shown,
                "over": place.over,
            }
        )

    async def answer(self, request: web.Request) -> web.Response:
        """Give the answer to a question by its number, or say what does not fit."""
        place = self._place(request)
        try:
            given = json.loads(await request.text())
            number = given["number"]
            reply = given["reply"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise web.HTTPBadRequest from None
        at, question = place.first()
        if question is None or number != at:
            return web.Response(text="This question is closed.", status=409)
        try:
            question.answer(reply)
        except InvalidInput as error:
            return web.Response(text=str(error), status=422)
        place.note = ""
        place.changed.set()
        return web.Response(text="Thank you.")


def _parts_of(question: Question | None, number: int) -> tuple[Any, ...]:
    """What the template shows of a question."""
    if question is None:
        return None, "", "", False
    assert question.form is not None, "others are passed over"
    briefing = readable(question.briefing)
    text = readable(question.text)
    return field_of(question.form), text, briefing, number == 1


def _views() -> Any:
    return template("room.html.j2").module
