"""The new words of replies as people write them; an answer is never cut."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.mail.letters import WHOLE
from support.mail.quoting import new_words

HEAD = "On Mon, Aug 3, 2026 at 10:02 AM Noor Halvard <noor@x.org> wrote:"
QUOTE = "> Dear Ana,\n> would Sep 5 or Sep 12 suit you?\n>\n> Best regards,\n> Noor\n"
OUTLOOK = "From: Noor Halvard <noor@x.org>\nSent: Monday, August 3, 2026 10:02 AM\nTo: Ana Silva\nSubject: Invitation\n\n"
OUR_DATES = "Dear Ana,\n\nSep 5, Sep 12 and Sep 19 are open.\n"

REPLIES = {
    "above": (f"Yes, Sep 5 works for me.\n\n{HEAD}\n\n{QUOTE}", "Yes, Sep 5 works for me."),
    "above, signed": (f"Yes.\n\nBest regards,\nAna Silva\nUniversity of Porto\n\n{HEAD}\n\n{QUOTE}", "Yes."),
    "below": (f"{HEAD}\n{QUOTE}\nThe 12th is better.\n\nAna\n", "The 12th is better.\n\nAna"),
    "between": (
        f"Hi Noor,\n\n{HEAD}\n> Would Sep 5 suit you?\n\nNo, I teach then.\n\n> Or Sep 12?\n\nYes, gladly.\n\nAna",
        "Hi Noor,\n\nNo, I teach then.\n\nYes, gladly.\n\nAna",
    ),
    "between, no head": ("> Sep 5?\n\nNo.\n\n> Sep 12?\nYes, gladly.\n", "No.\n\nYes, gladly."),
    "Outlook": (f"The 5th is fine.\n\nKind regards\nAna\n\n{OUTLOOK}{OUR_DATES}", "The 5th is fine."),
    "Outlook with a line": (f"The 5th is fine.\n\n{'_' * 32}\n{OUTLOOK}{OUR_DATES}", "The 5th is fine."),
    "original message": (f"The 5th.\n\n-----Original Message-----\n{OUTLOOK}{OUR_DATES}", "The 5th."),
    "Outlook over older quotes": (f"The 5th.\n\n{OUTLOOK}{OUR_DATES}\n{HEAD}\n{QUOTE}", "The 5th."),
    "head without marks": (f"The 5th.\n\n{HEAD}\n\n{OUR_DATES}", "The 5th."),
    "wrapped head": (f"The 5th.\n\n{HEAD.replace(' <', chr(10) + '<')}\n{QUOTE}", "The 5th."),
    "German": (f"Der 5. passt.\n\nViele Grüße\nJan\n\nAm 03.08.2026 um 10:02 schrieb Noor:\n{QUOTE}", "Der 5. passt."),
    "German, Gmail": (f"Der 5.\n\nAm Mo., 3. Aug. 2026 um 10:02 Uhr schrieb Noor <\nn@x.org>:\n\n{QUOTE}", "Der 5."),
    "German, Outlook": (
        f"Der 5.\n\nVon: Noor <n@x.org>\nGesendet: Montag, 3. August 2026\nAn: Jan\nBetreff: x\n\n{OUR_DATES}", "Der 5."
    ),
    "French": (f"Le 5.\n\nCordialement,\nLéa\n\nLe lun. 3 août 2026, Noor <n@x.org> a écrit :\n\n{QUOTE}", "Le 5."),
    "Spanish": (f"El 5.\n\nSaludos,\nLuz\n\nEl lun, 3 ago 2026, Noor (<n@x.org>) escribió:\n\n{QUOTE}", "El 5."),
    "Italian": (f"Il 5.\n\nIl giorno lun 3 ago 2026 alle 10:02 Noor <n@x.org> ha scritto:\n\n{QUOTE}", "Il 5."),
    "telephone": (f"Sep 5 please!\n\nSent from my iPhone\n\n> {HEAD}\n> \n{QUOTE}", "Sep 5 please!"),
    "delimiter": ("Any date.\n-- \nDr Ana Silva\nRua das Flores 5, Porto\nhttps://x.org/ana\n", "Any date."),
    "nothing": ("", ""), "blanks": ("\n \n", ""), "only quotes": (QUOTE, ""),
    "only below a head": (f"{HEAD}\n\n{OUR_DATES}", OUR_DATES.strip()),  # what is not quoted, rather than nothing
    "long signature": ("The 5th.\n\nKind regards,\nProf. Silva\nDept. of Physics\nTel. +351 22 04\nup.pt", "The 5th."),
}  # fmt: skip

KEPT = {  # replies from which nothing may be cut, and a piece that a library or a careless rule would cut
    "On Tuesday I could": "Dear Noor,\n\nOn Tuesday I could come, as I wrote:\nthe 5th and the 12th both work.\n\nAna",
    "On Tuesday I wrote": "Dear Noor,\nOn Tuesday I wrote:\nthe 5th and the 12th both work.\nAna",
    "one line": "Yes, Sep 5 works. Best, Ana",
    "list": "I can do:\n- Sep 5\n- Sep 12",
    "thanks first": "Dear Noor,\nThanks, Sep 5 works for me.\nAna",
    "thanks and no": "Dear Noor,\nThank you, but I must decline.\nAna",
    "thanks, then no": "Dear Noor,\n\nThanks,\nbut I must decline.\nAna",
    "just no": "Dear Noor,\n\nThanks,\nNo.",
    "postscript": "Sep 5 works.\n\nBest,\nAna\n\nP.S. Sep 12 too, if need be.",
    "afterthought": "Sep 5 works.\n\nBest,\nAna\n\nAnd actually Sep 12 too",
    "take": "Dear Noor,\nTake the 5th then.\nAna",
    "only a closing": "Thanks,\nAna",
    "long line": f"I could come {'very ' * 100}gladly on the 5th.\n\nAna",
    "a paragraph after the closing": f"The 5th.\n\nBest,\nAna\n\n{'Or' + 'x' * 300}",
    "best of all": "Dear Noor,\nBest, I think, is the 5th.\nAna",
}


@pytest.mark.parametrize("name", REPLIES)
def test_quotes_and_signatures_are_cut(name):
    text, words = REPLIES[name]
    assert new_words(text) == new_words(text.replace("\n", "\r\n")) == words


@pytest.mark.parametrize("name", KEPT)
def test_an_answer_is_not_cut(name):
    assert new_words(KEPT[name]).split() == KEPT[name].split()


@given(
    st.lists(
        st.sampled_from(
            [
                "The 5th works.",
                "> quoted",
                HEAD,
                "",
                "Best,",
                "Ana",
                "On Monday:",
                "-- ",
                "x:",
                "> > y",
            ]
        ),
        max_size=12,
    )
)
def test_property_an_answer_above_everything_stays(lines):
    text = "\n".join(["Yes, I can come on the 12th of May.", "", *lines])
    assert new_words(text).startswith("Yes, I can come on the 12th of May.")


@given(
    st.text(max_size=400)
    | st.text(st.sampled_from("On wrote:>\n -_<@1.\x00Best,"), max_size=400)
)
def test_property_any_text_is_cut_and_no_word_is_made_up(text):
    assert set(new_words(text).split()) <= set(text.replace("\x00", "").split())


UNITS = [
    "Am ", "Am x schrieb ", "On ", "On a\n", "On x wrote:\n", "\n", " \n", "> ", ">\n", "Il ", "From: a\n", "Best,\n",
    "* ", ":\n",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_a_text_made_to_be_slow_takes_no_time_to_speak_of(unit):
    begun = time.process_time()  # "Am " 1300 times: 45 s in the library alone
    new_words((unit * WHOLE)[:WHOLE])
    assert time.process_time() - begun < 10.0
