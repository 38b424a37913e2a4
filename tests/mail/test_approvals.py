"""Approval of the exact mail."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.mail.approvals import Approvals, digest_of

MAIL = ("ana@example.org", "A date in September", "Dear Ana,\n\nwould 5 September suit you?")


@pytest.fixture
def approvals(tmp_path):
    made = Approvals(tmp_path / "study.sqlite", "run")
    yield made
    made.close()


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


TEXTS = st.text(st.characters(), max_size=30)


@given(one=st.tuples(TEXTS, TEXTS, TEXTS), two=st.tuples(TEXTS, TEXTS, TEXTS))
def test_property_two_mails_share_a_digest_only_if_they_say_the_same(one, two):
    def said(mail):
        recipient, subject, body = mail
        return recipient, subject.split(), body.replace("\r\n", "\n").replace("\r", "\n").strip()

    assert (digest_of(*one) == digest_of(*two)) == (said(one) == said(two))
