"""The code that real mail needs on a page of its own: what reaches the page's kernel, a cookie say, does not know it.

`make app` draws one at each start and shows it in the terminal alone. A kernel asks for it before the first real mail,
and a page that was loaded again has another kernel. In a notebook there is none: whoever runs cells can do anything.
"""

from __future__ import annotations

import hmac
import os
import time

from support.errors import InvalidInput

CODE = "CONVENE_SENDING_CODE"
WRONG = 3.0  # seconds after a wrong code before another one counts: eight digits last for years


_given: set[str] = set()  # to this kernel


class Lock:
    """Shut until the code was given to this kernel; open from the start where the environment has none."""

    def __init__(self) -> None:
        self._code, self._again = os.environ.get(CODE, ""), 0.0

    @property
    def open(self) -> bool:
        """Whether real mail may leave."""
        return not self._code or self._code in _given

    def unlock(self, given: str) -> None:
        """Open with the right code.

        InvalidInput on another one, and on any within three seconds after that.
        """
        if time.monotonic() < self._again:
            raise InvalidInput("The code was wrong: wait a moment, then give it again.")
        if not hmac.compare_digest(given.strip().encode(), self._code.encode()):
            self._again = time.monotonic() + WRONG
            raise InvalidInput("That is not the code which the terminal shows.")
        _given.add(self._code)
