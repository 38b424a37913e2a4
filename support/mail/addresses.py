"""One address and no more: a recipient that is a list, a group or a name with an address is refused in words."""

from __future__ import annotations

from support.errors import InvalidInput

LENGTH = 254  # characters of a path in SMTP without its brackets (RFC 5321, 4.5.3.1.3)
LOCAL = 64  # characters before the @ (RFC 5321, 4.5.3.1.1)
SPECIALS = ',;:<>()[]"\\%!|`'  # lists, groups, names, comments, quoted parts (RFC 5322, 3.2.3), routes and pipes
FORM = "expected one bare address such as ana@example.org"


def checked_address(text: str, what: str) -> str:
    """The text itself if it is one address that a mail can be sent to.

    Lists, groups, display names, quoted local parts, comments, blanks, control characters and characters outside
    ASCII are refused: each of them has been a way to reach somebody else than the person who approves a mail reads.

    InvalidInput names the field `what`, the text and what does not fit.

    Source: RFC 5322, section 3.4.1, without its quoted strings, literals and obsolete forms.

    >>> checked_address("ana@example.org", "the speaker's address")
    'ana@example.org'
    """
    if not isinstance(text, str) or (fault := _fault(text)):
        fault = "it is no text" if not isinstance(text, str) else fault
        raise InvalidInput(f"{what} is {_brief(text)}: {fault}; {FORM}.")
    return text


def same(a: str, b: str) -> bool:
    """Whether two addresses are the same one; upper and lower case do not tell people apart.

    >>> same("Ana@Example.org", "ana@example.ORG"), same("", "")
    (True, False)
    """
    return bool(a) and folded(a) == folded(b)


def folded(address: str) -> str:
    """The form in which addresses are compared.

    >>> folded(" Ana@Example.org ")
    'ana@example.org'
    """
    return address.strip().casefold()


def domain_of(address: str) -> str:
    """What follows the @.

    >>> domain_of("ana@example.org")
    'example.org'
    """
    return address.rpartition("@")[2]


def _fault(text: str) -> str:
    """What is wrong with an address in a few words; "" if nothing is."""
    if not text:
        return "it is empty"
    if not text.isascii():
        return (
            "it has characters outside ASCII; write a domain such as bücher.example in its form xn--bcher-kva.example"
        )
    if not text.isprintable() or " " in text:
        return "it has a blank or a control character in it"
    if found := next((c for c in text if c in SPECIALS), ""):
        return f"it has {found!r} in it, as lists, groups, names and routes have"
    if text.count("@") != 1 or text[-1] == "@":
        return "it has not one @ with something before and after it"
    if len(text) > LENGTH or text.index("@") > LOCAL:
        return f"it is longer than {LENGTH} characters, or than {LOCAL} before the @"
    return _parse_fault(text)


def _parse_fault(text: str) -> str:
    """What the standard library's parser of addresses finds wrong, and what a name server would."""
    from email.errors import MessageError
    from email.headerregistry import Address

    try:
        parsed = Address(addr_spec=text)
    except (MessageError, ValueError, IndexError) as error:
        return f"it does not follow RFC 5322 ({error})"
    labels = parsed.domain.split(".")
    plain = all(0 < len(label) <= 63 and label.replace("-", "").isalnum() and "-" not in label[0] for label in labels)
    return "" if parsed.addr_spec == text and plain else "what follows the @ is no name of a domain"


def _brief(value: object) -> str:
    written = repr(value)
    return written if len(written) <= 120 else written[:117] + "..."
