"""What must be allowed before a mail may leave this machine: by default nothing."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from support.errors import InvalidInput, NotSent
from support.mail.addresses import checked_address


@dataclass(frozen=True)
class Clearance:
    """What may leave; as it comes, it is a dry run.

    InvalidInput on fields of another kind; an address that is not exactly one.
    """

    live: bool = False  # whether anything may be sent at all
    allowed: frozenset[str] = frozenset()  # the addresses that may be sent to
    daily_limit: int = 0  # how many mails may go from one account on one day, over all the runs of a study's file

    def __post_init__(self) -> None:
        if not isinstance(self.live, bool):
            raise InvalidInput(f"live: {self.live!r} given; expected True or False")
        if isinstance(self.allowed, str) or not isinstance(self.allowed, Collection):
            raise InvalidInput(f"allowed: {self.allowed!r} given; expected a set of addresses")
        listed = frozenset(checked_address(address, "an address of `allowed`") for address in self.allowed)
        if patterns := sorted(address for address in listed if "*" in address):
            raise InvalidInput(f"allowed: {', '.join(patterns)} given; expected each address in full, no patterns")
        object.__setattr__(self, "allowed", listed)
        if isinstance(self.daily_limit, bool) or not isinstance(self.daily_limit, int) or self.daily_limit < 0:
            raise InvalidInput(f"daily_limit: {self.daily_limit!r} given; expected a whole number of mails from 0")

    def check(self, recipient: str) -> None:
        """Let a recipient pass.

        NotSent when nothing may be sent, or not to them; it says what to change.
        """
        if not self.live:
            raise NotSent(
                f"the mail to {recipient} was not sent: this is a dry run. Set Clearance(live=True, ...) to send."
            )
        check_listed(recipient, self.allowed)


def check_listed(recipient: str, allowed: Collection[str]) -> None:
    """Let an address pass that is on the list.

    Before the @ it must be written exactly as on the list: whether Ana@ and ana@ are one person is for their server to
    say (RFC 5321, section 2.4). Capitals in a domain make no difference.

    NotSent when it is not on the list, or is not one address.

    >>> check_listed("ana@Example.org", {"ana@example.org"})
    """
    try:
        checked_address(recipient, "recipient")
    except InvalidInput as error:
        raise NotSent(f"the mail was not sent: {error}") from None
    if _lower_domain(recipient) not in {_lower_domain(address) for address in allowed}:
        raise NotSent(
            f"the mail to {recipient} was not sent: the address is not on the list of allowed recipients. Put it on "
            "the list, in exactly this spelling, if it is right."
        )


def _lower_domain(address: str) -> str:
    local, _, domain = address.rpartition("@")
    return f"{local}@{domain.lower()}"
