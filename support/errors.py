"""Everything that can go wrong, in one tree; every message says what was wrong, what was expected, and what to do next.

ConveneError
├── InvalidInput            a value from outside does not fit: a setting, a ballot, an allocation, a file
│   ├── InvalidBallot
│   └── InvalidProposal
├── MissingData             a data set, a package's weights or a program is not there
├── DamagedFile             a file is there, but not what it should be; it is left untouched
├── FileInUse               another process keeps a study's file to itself
├── DiskFull                there is no room to write; what was written stays
├── WorkersGone             a scheduler or its workers are gone; what is finished is kept
├── BudgetExceeded          the next call could cost more than is left; it was not sent
├── ModelError              a language model's call did not bring a usable reply
│   ├── ModelUnavailable    nothing will: bad key, unknown model, no such endpoint; a sweep stops at once
│   ├── ContextOverflow     the prompt is longer than the model can read
│   ├── CallFailed          the endpoint failed, and failed again on every retry
│   ├── MalformedReply      the reply does not fit its schema, after the repairs that are allowed
│   └── CacheMiss           offline, and this call was never recorded
├── MailError               a mail did not go its way
│   ├── NotSent             it was certainly not sent
│   └── FateUnknown         it may have been sent or not; a person has to decide before it is tried again
└── PromptError             a template and the values given to it do not match
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


class FileInUse(ConveneError):
    """Another process has been writing to a study's file for longer than anybody waits."""


class DiskFull(ConveneError):
    """There is no room on the disk. What was written before stays, and a run goes on from there."""


class BudgetExceeded(ConveneError):
    """A call was not sent, because its worst case does not fit into what is left of the budget."""


class ModelError(ConveneError):
    """A call to a language model brought no usable reply.

    `fault` is what happened in a word ("429"), `transient` whether the same call may succeed a little later,
    `retry_after` the seconds that the endpoint asked to wait, `charged` whether it may charge for the attempt though no
    usable answer came: it had the question already.
    """

    fault: str = ""
    transient: bool = False
    retry_after: float | None = None
    charged: bool = False


class ModelUnavailable(ModelError):
    """No call to this model can succeed until the user changes something."""


class ContextOverflow(ModelError):
    """The messages are longer than the model's context."""


class CallFailed(ModelError):
    """The endpoint failed, and failed again on retry."""


class MalformedReply(ModelError):
    """The model's reply does not fit the schema, even after it was told why; `tokens` were spent all the same."""

    tokens: int = 0
    cost: float | None = 0.0


class CacheMiss(ModelError):
    """The model is used offline, and this very call is not among the recorded ones."""


class MailError(ConveneError):
    """A mail did not go its way."""


class NotSent(MailError):
    """A mail was certainly not sent: it was refused here, or by a server that said so."""


class FateUnknown(MailError):
    """A mail may have been sent or not. It is not tried again before a person has decided."""


class PromptError(ConveneError):
    """A prompt template lacks a value, or was given one that it does not know."""
