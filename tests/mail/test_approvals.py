"""Approval of the exact mail."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.errors import InvalidInput
from support.mail.approvals import Approvals, digest_of

MAIL = ("ana@example.org", "A date in September", "Dear Ana,\n\nwould 5 September suit you?")


@pytest.fixture
def approvals(tmp_path):
    made = Approvals(tmp_path / "study.sqlite", "run")
    yield made
    made.close()


def test_exactly_what_was_approved_is(approvals):
    assert not approvals.approved(*MAIL)
    assert approvals.approve(*MAIL) == digest_of(*MAIL)
    assert approvals.approved(*MAIL)


@pytest.mark.parametrize(
    "other",
    [
        ("Ana@example.org", *MAIL[1:]),
        ("ben@example.org", *MAIL[1:]),
        (MAIL[0], "A date in september", MAIL[2]),
        (MAIL[0], MAIL[1] + "!", MAIL[2]),
        (*MAIL[:2], MAIL[2].replace("5", "6")),
        (*MAIL[:2], MAIL[2].replace("\n\n", "\n")),
        (*MAIL[:2], MAIL[2].replace("would", "woul\u200bd")),
        (*MAIL[:2], MAIL[2].replace("e", "е")),
        (MAIL[0], MAIL[2], MAIL[1]),
    ],
    ids=range(9),
)
def test_a_change_of_recipient_subject_or_text_is_another_mail(approvals, other):
    approvals.approve(*MAIL)
    assert not approvals.approved(*other)


def test_line_ends_and_outer_blanks_are_no_change(approvals):
    approvals.approve(*MAIL)
    assert approvals.approved(MAIL[0], "A  date\tin September ", "\n" + MAIL[2].replace("\n", "\r\n") + "\n\n")


def test_an_approval_that_is_withdrawn_holds_no_more(approvals):
    approvals.approve(*MAIL)
    approvals.approve(*MAIL)  # twice is once
    assert approvals.withdraw(*MAIL)
    assert not approvals.approved(*MAIL)
    assert not approvals.withdraw(*MAIL)
    approvals.approve(*MAIL)
    assert approvals.approved(*MAIL)


def test_approvals_outlive_their_process_and_are_one_run_s(approvals, tmp_path):
    approvals.approve(*MAIL)
    for run, holds in (("run", True), ("another", False)):
        again = Approvals(tmp_path / "study.sqlite", run)
        assert again.approved(*MAIL) is holds
        again.close()


@pytest.mark.parametrize(
    "mail", [("ana@example.org, mal@evil.org", "a", "b"), ("ana", "a", "b"), (MAIL[0], " ", "b"), (MAIL[0], "a", "\n")]
)
def test_what_is_no_mail_is_not_approved(approvals, mail):
    with pytest.raises(InvalidInput):
        approvals.approve(*mail)
    assert not approvals.approved(*mail)


TEXTS = st.text(st.characters(), max_size=30)


@given(one=st.tuples(TEXTS, TEXTS, TEXTS), two=st.tuples(TEXTS, TEXTS, TEXTS))
def test_property_two_mails_share_a_digest_only_if_they_say_the_same(one, two):
    def said(mail):
        recipient, subject, body = mail
        return recipient, subject.split(), body.replace("\r\n", "\n").replace("\r", "\n").strip()

    assert (digest_of(*one) == digest_of(*two)) == (said(one) == said(two))
