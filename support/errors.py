"""Everything that can go wrong, in one tree; every message says what was wrong, what was expected, and what to do next.

ConveneError
├── InvalidInput: InvalidBallot, InvalidProposal, UnknownParticipant
├── MissingData, DamagedFile, FileInUse, DiskFull, BudgetExceeded, PromptError
├── ModelError: ModelUnavailable, ContextOverflow, CallFailed (Filtered), MalformedReply (Silent), OffForm, CacheMiss
└── MailError: NotSent, FateUnknown
"""


class ConveneError(Exception):
    """Root of the tree: catch it to catch all that Convene raises on purpose."""


class InvalidInput(ConveneError, ValueError):
    """A value from outside does not fit: a setting, a ballot, an allocation, a file."""


class InvalidBallot(InvalidInput):
    """A ballot does not follow the form of its rule."""


class InvalidProposal(InvalidInput):
    """A proposal is not a possible state of the environment."""


class UnknownParticipant(InvalidInput):
    """Nobody goes by that name at such a table; a sweep stops at once."""


class MissingData(ConveneError):
    """A data set, a package's weights or a program has to be obtained first; the message says how."""


class DamagedFile(ConveneError):
    """A file is not what it should be. It is never repaired, overwritten or deleted."""


class FileInUse(ConveneError):
    """Another process has been writing to a study's file for longer than anybody waits."""


class DiskFull(ConveneError):
    """There is no room on the disk. What was written before stays, and a run goes on from there."""


class BudgetExceeded(ConveneError):
    """A call was not sent, because its worst case does not fit into what is left of the budget."""

    purse: bool = False  # whether it is the budget of all studies together
    ended: object = None  # what became of the run that it ended


class PromptError(ConveneError):
    """A prompt template lacks a value, or was given one that it does not know."""


class ModelError(ConveneError):
    """A call to a language model brought no usable reply."""

    fault: str = ""  # what happened, in a word ("429")
    transient: bool = False  # whether the same call may succeed a little later
    retry_after: float | None = None  # seconds that the endpoint asked to wait
    charged: bool = False  # whether it may charge though no usable answer came: it had the question already
    waits: bool = False  # whether it is worth waiting for until the deadline
    had: object = None  # the Completion that broke off, whose usage says what it cost


class ModelUnavailable(ModelError):
    """No call can succeed until the user mends the key, the model's name or the endpoint; a sweep stops at once."""


class ContextOverflow(ModelError):
    """The messages are longer than the model's context."""


class CallFailed(ModelError):
    """The endpoint failed, and failed again on every retry."""


class Filtered(CallFailed):
    """The provider's filter did not let the question or the reply pass: nobody's silence, and no fault of the run."""


class OffForm(ModelError):
    """A seat kept its form in none of its replies: what it was asked for, it never said."""


class MalformedReply(ModelError):
    """The model's reply does not fit the schema, even after it was told why; `tokens` were spent all the same."""

    tokens: int = 0


class Silent(MalformedReply):
    """A person did not answer in the time that there was."""


class CacheMiss(ModelError):
    """The model is used offline, and this very call is not among the recorded ones."""


class MailError(ConveneError):
    """A mail did not go its way."""


class NotSent(MailError):
    """A mail was certainly not sent: it was refused here, or by a server that said so."""


class FateUnknown(MailError):
    """A mail may have been sent or not. It is not tried again before a person has decided."""
