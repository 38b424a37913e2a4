"""Everything that can go wrong, in one tree.

    ConveneError
    ├── InvalidInput            a value from outside does not fit: a setting, a ballot, an allocation, a file
    │   ├── InvalidBallot
    │   └── InvalidProposal
    ├── MissingData             a data set, a package's weights or a program is not there
    ├── DamagedFile             a file is there, but not what it should be; it is left untouched
    ├── ModelError              a language model's call did not bring a usable reply
    │   ├── ModelUnavailable    nothing will: bad key, unknown model, no such endpoint; a sweep stops at once
    │   ├── ContextOverflow     the prompt is longer than the model can read
    │   ├── CallFailed          the endpoint failed, after the openai package's own retries
    │   ├── MalformedReply      the reply does not fit its schema, after the repairs that are allowed
    │   └── CacheMiss           offline, and this call was never recorded
    └── PromptError             a template and the values given to it do not match

Every message says what was wrong, what was expected, and what to do next.
"""


class ConveneError(Exception):
    """Root of the tree: catch it to catch all that Convene raises on purpose."""


class InvalidInput(ConveneError, ValueError):
    """A value from outside does not fit; the message names the field, the value and what was expected."""


class InvalidBallot(InvalidInput):
    """A ballot does not follow the form of its rule."""


class InvalidProposal(InvalidInput):
    """A proposal is not a possible state of the environment."""


class MissingData(ConveneError):
    """Something that has to be obtained first is not there; the message says how."""


class DamagedFile(ConveneError):
    """A file is not what it should be. It is never repaired, overwritten or deleted."""


class ModelError(ConveneError):
    """A call to a language model brought no usable reply."""


class ModelUnavailable(ModelError):
    """No call to this model can succeed until the user changes something."""


class ContextOverflow(ModelError):
    """The messages are longer than the model's context."""


class CallFailed(ModelError):
    """The endpoint failed, and failed again on retry."""


class MalformedReply(ModelError):
    """The model's reply does not fit the schema, even after it was told why; `tokens` were spent all the same."""

    tokens: int = 0


class CacheMiss(ModelError):
    """The model is used offline, and this very call is not among the recorded ones."""


class PromptError(ConveneError):
    """A prompt template lacks a value, or was given one that it does not know."""
