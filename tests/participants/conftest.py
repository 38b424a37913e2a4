"""A language model for a test: it gives the replies that the test names, and what it was told can be read."""

import pytest

from support.models.fakes import scripted


@pytest.fixture(scope="session")
def overheard():
    """A function from replies to a model that gives them in turn, and the list of the messages that it was given."""

    def listen(*replies, **options):
        heard, lines = [], iter(replies)

        def script(messages):
            heard.append(messages)
            return next(lines)

        return scripted(script, **options), heard

    return listen
