"""Where an endpoint is, and what must never be shown of it."""

from __future__ import annotations

import ipaddress
import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from support.errors import InvalidInput

DEFAULT = "https://api.openai.com/v1"
KEY_LIKE = re.compile(r"\bsk-[\w*-]{6,}")  # endpoints quote keys, in full or in part


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint's address without its user and password, which are kept out of every repr.

    `authorization` is the HTTP header for a user and password, None without; `secrets` are the texts to hide.
    """

    url: str
    local: bool
    authorization: str | None = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


def address(base_url: str) -> Address:
    """Take an endpoint's address apart.

    Raises
    ------
    InvalidInput
        When it is no http(s) address, or carries a query, where keys are sometimes put.
    """
    wanted = "expected an address such as https://api.example.org/v1 or http://127.0.0.1:8000/v1"
    try:
        parts = urlsplit(base_url.strip())
        host, port = parts.hostname, parts.port
    except (ValueError, AttributeError):
        raise InvalidInput(f"base_url is no address: {wanted}.") from None  # it may hold a password: not quoted
    if parts.scheme not in ("http", "https") or not host:
        raise InvalidInput(f"base_url is no address of the web: {wanted}.")
    if parts.query or parts.fragment:
        raise InvalidInput(f"base_url holds a '?' or a '#': {wanted}, and give a key as api_key= or OPENAI_API_KEY.")
    shown = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    url = f"{parts.scheme}://{shown}{parts.path.rstrip('/')}"
    if parts.username is None:
        return Address(url, _is_local(host))
    user, password = unquote(parts.username), unquote(parts.password or "")
    token = b64encode(f"{user}:{password}".encode()).decode()
    hidden = tuple(text for text in (token, password, parts.password, user if not password else "") if text)
    return Address(url, _is_local(host), f"Basic {token}", hidden)


def plain(text: str, secrets: Iterable[str]) -> str:
    """A text from outside without the secrets, and without anything that looks like a key.

    >>> plain("Incorrect API key provided: sk-abcdef123.", [])
    'Incorrect API key provided: [key].'
    """
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "[key]") if secret else text
    return KEY_LIKE.sub("[key]", text)


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
