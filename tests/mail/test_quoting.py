"""The new words of replies as people write them; an answer is never cut."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.mail.letters import WHOLE
from support.mail.quoting import new_words

HEAD = "On Mon, Aug 3, 2026 at 10:02 AM Noor Halvard <noor@x.org> wrote:"
QUOTE = "> Dear Ana,\n> would Sep 5 or Sep 12 suit you?\n>\n> Best regards,\n> Noor\n"
OUTLOOK = (
    "From: Noor <noor@x.org>\nSent: Monday, August 3, 2026\nTo: Ana\nSubject: Talk\n"
)
GERMAN = "Von: Noor <n@x.org>\nGesendet: Montag, 3. August 2026\nAn: Jan\nBetreff: x\n"
DATES = "\nDear Ana,\n\nSep 5, Sep 12 and Sep 19 are open.\n"

REPLIES = {
    "above": f"The 5th.\n\n{HEAD}\n\n{QUOTE}",
    "below": f"{HEAD}\n{QUOTE}\nThe 5th.",
    "between": f"{HEAD}\n> Would Sep 12 suit you?\n\nThe 5th.\n\n> Or Sep 12?\n",
    "between, no head": "> Sep 12?\n\nThe 5th.\n\n> Sep 12?\n",
    "Outlook": f"The 5th.\n\n{OUTLOOK}{DATES}",
    "Outlook with a line": f"The 5th.\n\n{'_' * 32}\n{OUTLOOK}{DATES}",
    "original message": f"The 5th.\n\n-----Original Message-----\n{OUTLOOK}{DATES}",
    "Outlook over older quotes": f"The 5th.\n\n{OUTLOOK}{DATES}\n{HEAD}\n{QUOTE}",
    "head without marks": f"The 5th.\n\n{HEAD}\n\n{DATES}",
    "wrapped head": f"The 5th.\n\n{HEAD.replace(' <', chr(10) + '<')}\n{QUOTE}",
    "German": f"The 5th.\n\nAm 03.08.2026 um 10:02 schrieb Noor:\n{QUOTE}",
    "German, Gmail": f"The 5th.\n\nAm Mo., 3. Aug. 2026 schrieb N <\nn@x.org>:\n\n{QUOTE}",
    "German, Outlook": f"The 5th.\n\n{GERMAN}{DATES}",
    "French": f"The 5th.\n\nLe lun. 3 août 2026, Noor <n@x.org> a écrit :\n\n{QUOTE}",
    "no language of ours": f"The 5th.\n\n2026. 3. 8. 10:02, N <n@x.org> írta:\n\n{QUOTE}",
    "telephone": f"The 5th.\n\n> {HEAD}\n> \n{QUOTE}",
    "delimiter": "The 5th.\n-- \nDr Ana Silva\nRua das Flores 12, Porto\n",
}
NOTHING = {
    "blanks": "\n \n",
    "quotes": QUOTE,
    "a forward": f"---------- Forwarded message ---------\n{OUTLOOK}{DATES}",
}
KEPT = {
    "On Tuesday I could": "On Tuesday I could come, as I wrote:\nthe 5th and the 12th work.",
    "On Tuesday I wrote": "Dear Noor,\nOn Tuesday I wrote:\nthe 5th and the 12th work.\nAna",
    "list": "I can do:\n- Sep 5\n- Sep 12",
    "thanks first": "Dear Noor,\nThanks, Sep 5 works for me.\nAna",
    "thanks, then no": "Dear Noor,\n\nThanks,\nbut I must decline.\nAna",
    "postscript": "Sep 5 works.\n\nBest,\nAna\n\nP.S. Sep 12 too, if need be.",
    "take": "Dear Noor,\nTake the 5th then.\nAna",
    "long line": f"I could come {'very ' * 100}gladly on the 5th.\n\nAna",
}


@pytest.mark.parametrize("name", REPLIES)
def test_quotes_are_cut(name):
    text = REPLIES[name]
    words = new_words(text)
    assert words == new_words(text.replace("\n", "\r\n"))
    left = words.replace("_" * 32, "").strip()
    assert left == "The 5th."


@pytest.mark.parametrize("name", NOTHING)
def test_who_says_nothing_themselves_has_no_new_words(name):
    assert new_words(NOTHING[name]) == ""


@pytest.mark.parametrize("name", KEPT)
def test_an_answer_is_not_cut(name):
    assert new_words(KEPT[name]).split() == KEPT[name].split()


LINES = ["The 5th works.", "> quoted", HEAD, "", "Best,", "On Monday:", "x:", "> > y"]


@given(st.lists(st.sampled_from(LINES), max_size=12))
def test_property_an_answer_above_everything_stays(lines):
    text = "\n".join(["Yes, I can come on the 12th of May.", "", *lines])
    assert new_words(text).startswith("Yes, I can come on the 12th of May.")


@given(st.text(st.sampled_from("On wrote:>\n -_<@1.\x00Best,"), max_size=100))
def test_property_any_text_is_cut_and_no_word_is_made_up(text):
    assert {*new_words(text).split()} <= {*text.replace("\x00", "").split()}


@pytest.mark.parametrize("unit", ["Am ", "On a\n", "\n", "> ", "From: a\n", ":\n"])
def test_a_text_made_to_be_slow_takes_no_time_to_speak_of(unit):
    begun = time.process_time()  # "Am " 1300 times: 45 s in the library alone
    new_words((unit * WHOLE)[:WHOLE])
    assert time.process_time() - begun < 10
