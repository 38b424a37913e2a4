"""The loaders of the test material: every field arrives where the README says, on files made here."""

from datetime import date

import pytest

from support.errors import DamagedFile, InvalidInput
from support.seminar.suite import edge_cases, held_out_replies, held_out_states

CASES = """
[[case]]
id = "video"
title = "from afar"
flag = true
question = "By video?"
voices = { renowned = "On a screen.", friend = "zoom?" }
[[case]]
id = "thanks"
title = "thanks"
flag = false
voices = { junior = "Thank you." }
"""
REPLY = """
[[reply]]
id = "r1"
topic = "money"
text = "Who pays?"
flag = {flag}
hard = {hard}
"""
STATE = """
[[state]]
id = "s1"
today = "2027-08-19"
summary = "All wait."
applies = ["follow_up", "vague"]
why = "Bo is silent."
slots = [{ date = "2027-09-15", speaker = "Ana Ray" }, { date = "2027-10-13", speaker = "" }]
[[state.speakers]]
name = "Ana Ray"
role = "professor"
mails = ["2027-08-16"]
answered = ["2027-08-17"]
available = ["2027-09-15"]
vague = ["2027-10-13"]
said = "Glad."
"""


@pytest.fixture
def written(tmp_path):
    def write(text):
        file = tmp_path / "made.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


def test_every_voice_of_a_case_is_a_reply_that_stays_with_its_case(written):
    video, zoom, thanks = edge_cases(written(CASES))
    assert (video.id, video.text, video.flag, video.case) == ("video, renowned", "On a screen.", True, "video")
    assert (video.voice, video.question, zoom.case, zoom.voice) == ("renowned", "By video?", "video", "friend")
    assert (thanks.case, thanks.flag, thanks.question, thanks.hard) == ("thanks", False, "", False)


@pytest.mark.parametrize(("flag", "hard"), [("true", "false"), ("false", "true")])
def test_a_reply_is_a_case_of_its_own(written, flag, hard):
    (reply,) = held_out_replies(written(REPLY.format(flag=flag, hard=hard)))
    assert (reply.id, reply.case, reply.text, reply.voice) == ("r1", "r1", "Who pays?", "money")
    assert (reply.flag, reply.hard, reply.question) == (flag == "true", hard == "true", "")


def test_a_state_is_what_its_tables_say(written):
    (judged,) = held_out_states(written(STATE))
    ana, slots = judged.state.contacts["Ana Ray"], (date(2027, 9, 15), date(2027, 10, 13))
    assert (judged.id, judged.summary, judged.why) == ("s1", "All wait.", "Bo is silent.")
    assert judged.applies == ("follow_up", "vague") and judged.state.today == date(2027, 8, 19)
    assert dict(judged.state.slots) == {slots[0]: ("Ana Ray",), slots[1]: ()} and ana.confirmed == slots[:1]
    assert (ana.role, ana.mails, ana.answered) == ("professor", (date(2027, 8, 16),), (date(2027, 8, 17),))
    assert (ana.available, ana.vague, ana.said) == (slots[:1], slots[1:], "Glad.")


@pytest.mark.parametrize(
    ("read", "text", "error", "said"),
    [
        (edge_cases, "[[case]]\nid = 'a'\nflag = true\n", DamagedFile, "'voices'.* in a; see its README"),
        (edge_cases, "[[case]]\nid = 'a'\nflag = true\nvoices = 'x'\n", DamagedFile, "in a; see its README"),
        (held_out_replies, "[[reply]]\nid = 'a'\n", DamagedFile, "'topic'.* in a"),
        (held_out_replies, "reply = 3\n", DamagedFile, "reply = 3 given; expected"),
        (held_out_states, STATE.replace("2027-08-19", "August"), InvalidInput, "state s1: 'August' given"),
    ],
)
def test_a_file_of_another_form_is_refused_with_its_place(written, read, text, error, said):
    with pytest.raises(error, match=said):
        read(written(text))


def test_a_label_in_quotes_and_a_case_given_twice_are_refused(tmp_path):
    quoted = tmp_path / "quoted.toml"
    quoted.write_text(CASES.replace("flag = false", 'flag = "no"'))
    with pytest.raises(DamagedFile, match="flag: 'no' given in thanks; expected true or false, unquoted"):
        edge_cases(quoted)
    twice = tmp_path / "twice.toml"
    twice.write_text(CASES.replace('"thanks"', '"video"', 1))
    with pytest.raises(DamagedFile, match="the id 'video' is given twice"):
        edge_cases(twice)
