"""A class at one table: every study in browsers, a page that is opened again, one who is silent; and who gets in."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import aiohttp
import numpy as np
import pytest
from browser import chromium, screenshot  # noqa: F401 (fixtures)

from support.errors import InvalidInput, MissingData
from support.meetings.scenario import load_group
from support.meetings.study import meeting_coordination
from support.models.stand_ins import scripted
from support.room import room
from support.roundtable.study import roundtable_exchange

SAID = "I like <b>A</b>"
CLASS = ["Ana", "Ben", "Cleo"]


def model(messages):
    return {
        "target": ["all"],
        "message": "Hello.",
        "reason": "",
        "proposal": None,
        "vote": None,
    }


bargain = partial(
    roundtable_exchange,
    rule="majority",
    rounds=1,
    agents=4,
    seats={**dict.fromkeys(CLASS, "human"), "Dev": "model"},
    model=scripted(model),
)


@pytest.fixture
def open_room():
    """A function from names and a study to their links and the record to come.

    It is played on a loop of its own: Playwright keeps one in the thread of a test.
    """
    tasks = []
    with ThreadPoolExecutor(1) as other:

        def begin(names, study, **settings):
            links = {}

            async def play():
                tasks.append((asyncio.get_running_loop(), asyncio.current_task()))
                async with room(names, **settings) as given:
                    links.update(given)
                    return await study(np.random.default_rng(1))

            playing = other.submit(asyncio.run, play())
            until = time.monotonic() + 10
            while not links and not playing.done() and time.monotonic() < until:
                time.sleep(0.01)
            return links, playing

        yield begin
        for loop, task in tasks:
            if not loop.is_closed():
                loop.call_soon_threadsafe(task.cancel)


@pytest.fixture
def enter(chromium):
    """A function from a link to a page of a browser that nobody else uses."""
    contexts = []

    def come_in(link):
        contexts.append(chromium.new_context())
        contexts[-1].set_default_timeout(10_000)
        page = contexts[-1].new_page()
        page.goto(link)
        return page

    yield come_in
    for context in contexts:
        context.close()


def apart(what):
    """Run something in another thread."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(asyncio.run, what).result()


def send(page):
    page.get_by_role("button", name="Send").click()


def test_three_browsers_and_a_model_finish_a_discussion(open_room, enter, screenshot):
    links, playing = open_room(CLASS, bargain, patience=60)
    pages = {name: enter(link) for name, link in links.items()}
    for name, page in pages.items():
        page.get_by_label("message").fill(f"{SAID}, says {name}")
    context = pages["Ben"].context
    pages["Ben"].close()
    pages["Ben"] = context.new_page()
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
    [only] = playing.result(60).rounds
    pages["Cleo"].get_by_text("The table has closed.").wait_for()
    messages = {m.sender: m for m in only.messages}
    assert messages["Ben"].text == f"{SAID}, says Ben"
    assert messages["Ben"].recipients == ("Ana", "Dev")
    assert only.winner == "P1"
    assert not only.format_errors


def test_a_member_of_a_meeting_makes_a_list_of_wishes_that_a_reload_keeps(
    open_room, enter, screenshot
):
    me, *others = load_group(0, 3).members
    seats = {me: "human", **dict.fromkeys(others, "plain")}
    study = partial(meeting_coordination, seats=seats, rounds=1)
    links, playing = open_room([me], study, patience=60)
    page = enter(links[me])
    page.get_by_label("text").fill("Mornings, please.")
    for _ in range(3):
        page.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Remove").nth(1).click()
    page.get_by_label("start").first.select_option("08:00")
    page.get_by_label("end").first.select_option("12:00")
    page.get_by_label("Friday", exact=True).first.check()
    for row, priority in enumerate(("1", "3")):
        wish = page.locator(".item").nth(row)
        wish.get_by_label(priority, exact=True).first.check()
    page.get_by_label("kind").last.select_option("flexible")
    page.reload()
    page.get_by_label("kind").last.wait_for()
    assert page.get_by_label("kind").last.input_value() == "flexible"
    page.get_by_label("yes", exact=True).last.check()
    screenshot(page, "room_3_member")
    send(page)
    [entry] = playing.result(60).rounds
    [turn] = [turn for turn in entry.talks[me] if turn.speaker == me]
    assert (turn.text, turn.done) == ("Mornings, please.", True)
    window, flexible = turn.wishes
    assert (window.start, window.end) == ("08:00", "12:00")
    assert (window.weekdays, window.priority) == (("Friday",), 1)
    assert flexible.kind == "flexible"


def test_who_is_silent_is_passed_over_and_the_page_and_the_record_say_so(open_room):
    links, playing = open_room(["Ana", "Ben", "Cleo"], bargain, patience=1)
    pages = []

    async def look():
        async with aiohttp.ClientSession() as browser:
            while not (pages and pages[-1]["over"]):
                seen = pages[-1]["number"] if pages else ""
                reply = await browser.get(f"{links['Ana']}/next?seen={seen}")
                pages.append(await reply.json())

    apart(look())
    assert "no answer within 1 seconds" in pages[-1]["html"]
    [only] = playing.result(60).rounds
    assert {m.sender for m in only.messages} == {"Dev"}
    silent = [(e.agent, e.phase, e.detail) for e in only.format_errors]
    assert ("Ben", "message", "Ben was silent for 1 seconds") in silent
    assert len(silent) == 2 * len(CLASS)


def test_who_is_asked_and_has_no_link_ends_the_run(open_room):
    _, playing = open_room(["Anna", "Ben", "Cleo"], bargain, patience=60)
    with pytest.raises(MissingData, match="'Ana' is asked, and the room has links for"):
        playing.result(60)


ELSEWHERE = "http://evil.example"
DOORS = [
    ("/..", {}, 404),
    ("/../Ana", {}, 404),
    ("x", {}, 404),
    ("/else", {}, 404),
    (f"/next?seen={'9' * 5000}", {}, 200),
    ("", {"Host": "evil.example"}, 403),
    ("", {"Origin": ELSEWHERE}, 403),
]
SENT = [
    (b"x" * 70_000, {}, 413),
    (b"no", {}, 400),
    (b"[]", {}, 400),
    (b"[" * 60_000, {}, 400),
    (b'{"number": 7, "reply": 1}', {}, 409),
    (b'{"number": 1, "reply": {"message": null}}', {"Origin": ELSEWHERE}, 403),
    (b'{"number": 1, "reply": {"message": 7}}', {}, 422),
    (b'{"number": 1, "reply": {"message": null}}', {}, 200),
    (b'{"number": 1, "reply": {"message": null}}', {}, 409),
]


def test_only_who_has_a_link_gets_in_and_from_no_other_page(open_room):
    links, playing = open_room(CLASS, bargain, patience=3)
    own = links["Ana"]

    async def knock():
        async with aiohttp.ClientSession() as browser:
            await browser.get(own + "/next?seen=0")
            for path, headers, status in DOORS:
                reply = await browser.get(own + path, headers=headers)
                assert reply.status == status, path
            for body, headers, status in SENT:
                reply = await browser.post(own + "/answer", data=body, headers=headers)
                assert reply.status == status, body[:50]
            page = await browser.get(own)
            assert "Ben" not in await page.text()
            policy = page.headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'")

    apart(knock())
    playing.result(60)


@pytest.mark.parametrize(
    ("names", "settings", "told"),
    [
        (["Ana"], {"host": "192.168.1.7"}, "whoever is in this network"),
        (["Ana", "Ana"], {}, "each once"),
        ([], {}, "expected some"),
    ],
)
def test_a_room_that_cannot_be_is_told(open_room, names, settings, told):
    _, playing = open_room(names, bargain, **settings)
    with pytest.raises(InvalidInput, match=told):
        playing.result(10)
