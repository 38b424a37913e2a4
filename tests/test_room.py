"""A class at one table: three browsers and a model, a page that is opened again, one who is silent; and who gets in."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import aiohttp
import numpy as np
import pytest
from browser import chromium, screenshot  # noqa: F401 (fixtures)

from support.errors import InvalidInput
from support.models.stand_ins import scripted
from support.room import room
from support.roundtable.study import roundtable_exchange

SAID = "I like <b>A</b>"
SEATS = {"Ana": "human", "Ben": "human", "Cleo": "human", "Dev": "model"}


def model(messages):
    return {
        "target": ["all"],
        "message": "Hello.",
        "reason": "",
        "proposal": None,
        "vote": None,
    }


class Table:
    """A discussion with links, on a loop of its own: Playwright keeps one in the thread of a test."""

    def __init__(self, **settings):
        self.settings, self.links = settings, {}

    async def play(self):
        names = [name for name, kind in SEATS.items() if kind == "human"]
        async with room(names, **self.settings) as self.links:
            rng = np.random.default_rng(1)
            how = {"rounds": 1, "agents": 4, "seats": SEATS, "model": scripted(model)}
            return await roundtable_exchange(rng, "majority", **how)


def apart(what):
    """Run something in another thread."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(asyncio.run, what).result()


@pytest.fixture
def table(until_there):
    with ThreadPoolExecutor(1) as apart:

        def begin(**settings):
            one = Table(**settings)
            playing = apart.submit(asyncio.run, one.play())
            until_there(lambda: one.links)
            return one.links, playing

        yield begin


@pytest.fixture
def until_there():
    """A function that waits until something is found."""

    def wait(found):
        for _ in range(500):
            if found():
                return
            time.sleep(0.01)
        pytest.fail("nothing happened for five seconds")

    return wait


def send(page):
    page.get_by_role("button", name="Send").click()


def test_three_browsers_and_a_model_finish_a_discussion(chromium, table, screenshot):
    links, playing = table(patience=60)
    contexts = [chromium.new_context() for _ in links]
    pages = {
        name: context.new_page() for name, context in zip(links, contexts, strict=True)
    }
    for name, page in pages.items():
        page.goto(links[name])
        page.get_by_label("message").fill(f"{SAID}, says {name}")
    pages["Ben"].close()
    pages["Ben"] = contexts[1].new_page()
    pages["Ben"].goto(links["Ben"])
    again = pages["Ben"].get_by_label("message")
    again.wait_for()
    assert again.input_value() == f"{SAID}, says Ben", "what was typed is kept"
    screenshot(pages["Ben"], "room_1_message")
    pages["Ben"].get_by_label("Cleo", exact=True).uncheck()
    for page in pages.values():
        page.get_by_label("message").press("Control+Enter")
    for name, page in pages.items():
        page.get_by_text("Round 1, proposals.").wait_for()
        if name != "Ana":
            page.get_by_label("proposal", exact=True).uncheck()
            send(page)
    amounts = pages["Ana"].get_by_placeholder("0 to 100")
    for number in range(16):
        amounts.nth(number).fill("26" if number == 0 else "25")
    amounts.first.press("Enter")
    pages["Ana"].get_by_text("the agents' amounts sum to 101").wait_for()
    shown = pages["Ana"].locator("details").text_content()
    assert f"{SAID}, says Cleo" in shown, "as text, not as markup"
    screenshot(pages["Ana"], "room_2_refused")
    assert amounts.first.input_value() == "26"
    amounts.first.fill("25")
    send(pages["Ana"])
    for page in pages.values():
        page.get_by_text("Round 1, votes.").wait_for()
        page.get_by_label("P1", exact=True).check()
        send(page)
    record = playing.result(60)
    pages["Cleo"].get_by_text("The table has closed.").wait_for()
    [only] = record.rounds
    assert {m.sender: m.text for m in only.messages}["Ben"] == f"{SAID}, says Ben"
    assert {m.sender: m.recipients for m in only.messages}["Ben"] == ("Ana", "Dev")
    assert only.winner == "P1"
    assert not only.format_errors
    for context in contexts:
        context.close()


def test_who_is_silent_is_passed_over_and_the_record_says_so(table):
    links, playing = table(patience=0.2)
    [only] = playing.result(60).rounds
    assert {m.sender for m in only.messages} == {"Dev"}
    silent = [(e.agent, e.phase, e.detail) for e in only.format_errors]
    assert ("Ben", "message", "Ben was silent for 0.2 seconds") in silent
    assert len(silent) == 2 * len(links)


def test_only_who_has_a_link_gets_in_and_from_no_other_page(table):
    links, playing = table(patience=3)

    async def knock():
        own = links["Ana"]
        base = own.rpartition("/")[0]
        said = {"number": 1, "reply": {"message": None}}
        found = []
        async with aiohttp.ClientSession() as browser:
            for address in (base + "/", base + "/Ana", own[:-1], own + "/else"):
                found.append((await browser.get(address)).status)
            for headers in (
                {"Host": "evil.example"},
                {"Origin": "http://evil.example"},
            ):
                found.append((await browser.get(own, headers=headers)).status)
                reply = await browser.post(own + "/answer", json=said, headers=headers)
                found.append(reply.status)
            for body in (b"x" * 70_000, b"no", b"[]", b'{"number": 7, "reply": 1}'):
                found.append((await browser.post(own + "/answer", data=body)).status)
            page = await browser.get(own)
            assert "Ben" not in await page.text()
            assert page.headers["Content-Security-Policy"].startswith(
                "default-src 'none'"
            )
            found.append((await browser.post(own + "/answer", json=said)).status)
        return found

    found = apart(knock())
    assert found == [*[404] * 4, *[403] * 4, 413, 400, 400, 409, 200]
    playing.result(60)


@pytest.mark.parametrize(
    ("names", "settings", "told"),
    [
        (["Ana"], {"host": "192.168.1.7"}, "whoever is in this network"),
        (["Ana", "Ana"], {}, "each once"),
        ([], {}, "expected some"),
    ],
)
def test_a_room_that_cannot_be_is_told(names, settings, told):
    async def enter():
        async with room(names, **settings):
            pass

    with pytest.raises(InvalidInput, match=told):
        apart(enter())
