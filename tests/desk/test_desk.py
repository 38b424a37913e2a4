"""A seminar at the desk: what waits, what is decided, what is kept, what is refused."""

from datetime import date
from functools import partial

import pytest
from at_desk import SHOWN, Page, asked, fill, play, press, standing, until
from attacks.forms import SCRIPT, Post

from support import person
from support.desk import desk as desks
from support.desk.desk import SWEEP, Desk
from support.mail.mailbox import SimulatedMailbox
from support.runs.study import Store
from support.seminar.review import ALWAYS, AUTOMATIC
from support.seminars.seminar import Seminar


def test_a_day_is_one_card_of_actions_and_one_of_mails_and_what_is_changed_is_in_the_record(
    worked,
):
    async def work(desk):
        await play(desk)
        card = await asked(desk, "action")
        first, second, *_ = card.picks
        card.picks[first].click()
        await until(lambda: card.picked == first)
        card.fields["goal"].value = "<b>ask</b> soon"
        card.picks[second].click()
        await until(lambda: card.picked == second)
        card.out.click()
        await until(lambda: card.left[second] is None)
        assert card.yes.description == "Approve 3 actions"
        assert "changed" in card.picks[first]._dom_classes
        await press(desk, card.yes)
        card = await asked(desk, "mail")
        assert second not in card.picks and len(card.picks) == 3
        card.fields["body"].value += "\nP.S. Do come."
        assert card.yes.description == "Send 3 mails"
        await press(desk, card.yes)
        await until(lambda: not desk.playing)
        desk.refresh()
        assert "&lt;b&gt;ask" in desk.days.value and "<b>ask" not in desk.days.value
        return desk.seminar.finished[0], first, second

    day, first, second = worked(work)
    assert {mail.to for mail in day.sent} == {a.person for a in day.actions} - {second}
    assert {(e.what, e.about) for e in day.edits} >= {
        ("action", first),
        ("action", second),
    }
    assert sum("Do come." in mail.body for mail in day.sent) == 1


def test_a_desk_made_anew_goes_on_in_the_middle_of_a_day_and_asks_nothing_twice(worked):
    async def leave(desk):
        await play(desk)
        card = await asked(desk, "action")
        await press(desk, card.yes)
        await asked(desk, "mail")

    async def take_up(desk):
        await until(lambda: "Go on with day 1" in desk.next.description)
        await play(desk)
        await until(lambda: desk.asked)
        return next(iter(desk.asked.values())).what

    worked(leave)
    assert worked(take_up) == "mail"


def test_an_answer_goes_into_the_mail_and_a_mail_with_a_gap_does_not_go(worked):
    async def work(desk):
        await play(desk)
        await asked(desk)
        await play(desk)
        card = await asked(desk, "decide")
        fill(card, answer="Yes, a workshop.")
        before = len(desk.seminar.policies)
        await press(desk, card.buttons.children[1])
        await until(lambda: "policy" in desk.cards)
        proposed = desk.cards["policy"]
        assert "Yes, a workshop." in str(standing(proposed))
        fill(proposed, text="Workshops are welcome.")
        await press(desk, proposed.yes)
        assert len(desk.seminar.policies) == before + 1
        card = await asked(desk, "mail")
        await press(desk, card.yes, card)
        assert "{answer} is not filled in" in card.error.value
        body = card.fields["body"].value
        card.fields["body"].value = body.replace("{answer}", "A workshop is fine.")
        await press(desk, card.yes, card)
        await until(lambda: not desk.playing)
        return desk.seminar.finished[-1].sent

    assert any("A workshop is fine." in mail.body for mail in worked(work))


def test_a_list_is_made_again_by_three_wishes_a_day_and_no_more(worked):
    async def work(desk):
        await play(desk)
        for count in range(3):
            card = await asked(desk, "action")
            card.wish.value = f"{count}: ask nobody"
            await press(desk, card.again)
        last = await asked(desk, "action")
        return card.again in _all(card.view), last.again in _all(last.view)

    assert worked(work) == (True, False)


def _all(view):
    return {view, *(w for child in getattr(view, "children", ()) for w in _all(child))}


def test_what_was_read_is_corrected_at_any_time(worked):
    async def work(desk):
        while not desk.seminar.desk.before or not desk.seminar.finished[-1].received:
            await play(desk)
            await asked(desk, answer="Yes.", words="Yes.")
            await until(lambda: not desk.playing)
        mail = desk.seminar.finished[-1].received[0]
        desk.tabs.selected_index = 1
        desk.refresh()
        offered = dict(desk.mails.reply.options)
        [words] = [words for words, number in offered.items() if number == mail.id]
        assert mail.body[:20] in words, "two of a day are told apart"
        desk._correct(mail.id)
        card = desk.cards["reading"]
        days, contact = standing(card)["dates"], desk.seminar.desk.books.contacts
        assert {*days.values()} - {"not said"}, "what was stated stands there"
        fill(card, dates=dict.fromkeys(days, "cannot"))
        await press(desk, card.yes, card)
        return contact[mail.sender], desk.seminar.desk.books.contacts[mail.sender], days

    _, after, days = worked(work, people="rule-based", delegation=AUTOMATIC)
    assert after.cannot >= {date.fromisoformat(day) for day in days} and not after.can


CHANGES = [
    ("take somebody off the list", {"person": "Ngozi Tarrant"}),
    ("put somebody back", {"person": "Ngozi Tarrant"}),
    ("open a date", {"day": "2027-10-20"}),
    ("drop a date", {"day": "2027-12-08"}),
    ("add somebody", {"name": "Ida", "email": "ida@x.example", "role": "professor"}),
    ("close the seminar for good", {"why": "enough"}),
]


def test_people_and_dates_change_at_any_time_and_a_closed_seminar_is_kept_once(
    worked, path
):
    async def work(desk):
        for do, parts in CHANGES:
            desk.other.click()
            card = await until(lambda: desk.cards.get("change"))
            form = desk.cards["change"].sheet.form
            desk._change(form.model_validate({"change": {"do": do, **parts}}))
            assert "change" not in desk.cards and card.yes.description == "Do it"
        desk._keep()
        books = desk.seminar.desk.books
        return {*books.contacts}, {*map(str, books.holders)}, desk.seminar.removed

    people, slots, off = worked(work)
    assert "Ida" in people and not off
    assert "2027-10-20" in slots and "2027-12-08" not in slots
    [(unit, record)] = Store(path).records(SWEEP)
    assert unit.settings["name"] == "autumn" and record.settings["closed"] == "enough"


def test_a_seminar_that_is_open_elsewhere_is_worked_on_when_one_says_so(worked, path):
    async def work(desk):
        other = Desk(path)
        card = await until(lambda: other.cards.get("taken"))
        card.yes.click()
        await until(lambda: other.open_one)
        await play(other)
        await asked(other, "action")
        await other.close()
        return other.cards

    assert "taken" not in worked(work)


def test_real_mail_goes_when_each_one_was_seen_and_not_by_a_key_that_is_held_down(
    worked, monkeypatch
):
    from support.desk import cards
    from support.mail.credentials import MailServers
    from support.seminar.data import scenario

    box = SimulatedMailbox()
    monkeypatch.setattr(desks, "Seminar", partial(Seminar, mailbox=box))
    allowed = tuple(person.email for person in scenario("four").people)
    servers = MailServers("smtp.x.example", "imap.x.example", "noor@x.example")
    live = {"mode": "live", "servers": servers, "allowed": allowed, "daily_limit": 9}
    live["unchecked_senders"] = True
    start = scenario("four").start
    monkeypatch.setattr(Desk.__init__, "__kwdefaults__", {"today": lambda: start})

    async def work(desk):
        await play(desk)
        card = await asked(desk, "mail")
        await press(desk, card.yes, card)
        assert "real mail" in card.error.value and not box.sent
        monkeypatch.setattr(cards, "GLANCE", 0)
        for left in (3, 2, 1):
            assert card.yes.description == f"Next mail ({left} not seen yet)"
            seen = card.picked
            card.yes.click()
            await until(lambda seen=seen: card.picked != seen)
        assert not box.sent and card.yes.description == "Send 4 mails"
        await press(desk, card.yes, card)
        await until(lambda: not desk.playing)
        desk.tabs.selected_index = 1
        desk.refresh()
        return desk.mails.table.value

    told = worked(work, **live, delegation=AUTOMATIC)
    assert len(box.sent) == 4 and "4 of 9 mails sent today" in told
    assert "nobody: you said yes" in told


def test_a_held_mail_waits_as_text_and_is_theirs_who_claim_it(worked, monkeypatch):
    box = SimulatedMailbox()
    monkeypatch.setattr(desks, "Seminar", partial(Seminar, mailbox=box))
    raw = b"From: Eve <eve@x.example>\r\nSubject: <i>hi\r\n\r\nI can do all dates.\r\n"

    async def work(desk):
        box.deliver(raw)
        await desk.seminar.check_mail()
        desk.refresh()
        [card] = desk.post.values()
        shown = card.view.children[1].value
        assert "I can do all dates." in shown and "&lt;i&gt;hi" in shown
        fill(card, whose="Ngozi Tarrant")
        await press(desk, card.yes, card)
        desk.refresh()
        return len(desk.post), len(desk.seminar.inbox.held())

    assert worked(work) == (0, 0)


START = str(person._views().start())


def test_no_mail_becomes_markup_on_the_desk_held_or_read(worked, monkeypatch):
    box = SimulatedMailbox()
    monkeypatch.setattr(desks, "Seminar", partial(Seminar, mailbox=box))

    async def work(desk):
        await play(desk)
        await asked(desk)
        other, sent, *_ = desk.seminar.outbox.sent()
        ours = sent.message_id, other.message_id, desk.seminar.setup.sender
        post = Post(sent.person, sent.recipient, *ours)
        for thread in (sent.message_id, ""):  # a reply, and one that is held
            box.deliver(
                post.parts(
                    ("text/plain", f"{SCRIPT} It is mine."),
                    ('application/pdf; name="<img src=x>"', "%PDF"),
                    In_Reply_To=thread,
                    Subject=SCRIPT,
                )
            )
        await play(desk)
        await asked(desk, "read")
        desk.refresh()
        desk.tabs.selected_index = 1
        desk.refresh()
        pages = [one.value for one in _all(desk.view) if hasattr(one, "value")]
        page = "".join(page for page in pages if isinstance(page, str))
        assert START in page, "a form is on it, and begins by itself"
        return Page(page.replace(START, ""))

    page = worked(work, delegation=dict.fromkeys(SHOWN, AUTOMATIC))
    assert page.text.count("It is mine.") >= 2 and page.text.count("<script>") >= 4
    names = {name for element in page.found for name in element}
    assert not names & {"script", "img", "src", "onerror"}


def test_policies_are_used_as_typed_or_refused_in_the_loaders_words(worked):
    async def work(desk):
        desk.tabs.selected_index = 2
        desk.refresh()
        use = desk.rules.view.children[1].children[0]
        desk.rules.policies.value = "- id: x\n  text: y\n  rule: nonsense"
        use.click()
        said = await until(lambda: desk.rules.error.value)
        assert "rule &#39;nonsense&#39; given" in said
        desk.rules.policies.value = "- id: zoom\n  text: No talks by Zoom."
        use.click()
        await until(lambda: "zoom" in desk.seminar.policies.ids)

    worked(work)


@pytest.mark.parametrize("level", [ALWAYS, AUTOMATIC])
def test_a_person_among_the_speakers_answers_at_the_desk(worked, level):
    async def work(desk):
        await play(desk)
        card = await asked(desk, "answer")
        words = "I can do the first one."
        fill(card, action="reply", body=words, subject="Re: dates")
        await press(desk, card.yes, card)
        await until(lambda: not desk.playing)
        await play(desk)
        read = await asked(desk, "read")
        return words in read.view.children[1].value

    people = dict.fromkeys(
        (
            "Aurelio Brandvik",
            "Ngozi Tarrant",
            "Deepa Raghunandan",
            "Jonas Felderhof",
        ),
        "slow",
    )
    people["Ngozi Tarrant"] = "human"
    plan = {"plan": AUTOMATIC}
    shown = SHOWN if level == ALWAYS else dict.fromkeys(SHOWN, AUTOMATIC) | plan
    assert worked(work, people=people, delegation=shown)
