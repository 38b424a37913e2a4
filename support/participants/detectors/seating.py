"""Who looks for what no policy covers, by the name of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from support.environments.seminar.policies import PolicySet
from support.environments.seminar.views import Verdict
from support.participants.detectors.lexical import LexicalDetector
from support.participants.detectors.protocol import Detector
from support.participants.seating import MODEL, check_kind, check_own, check_settings, given_model

if TYPE_CHECKING:
    from support.models.model import ChatModel

LEXICAL, NONE = "lexical", "none"
DETECTORS: Mapping[str, str] = {
    LEXICAL: "rule-based: flags wishes and conditions on a dozen topics by their words",
    NONE: "a floor: lets every reply pass",
    MODEL: "a language model",
}
"""What each name stands for; a `ClassifierDetector`, or a detector of your own, is seated itself."""


class NoDetector:
    """Flags nothing: a control that shows what a detector adds."""

    kind = NONE

    async def check(self, reply: str, policies: PolicySet, context: str = "") -> Verdict:
        """Clear, whatever was written."""
        return Verdict(False)


def seat_detector(
    kind: str | Detector,
    *,
    model: ChatModel | str | None = None,
    shots: str = "few with policies",
    temperature: float = 0.7,
    repetition: int = 0,
) -> Detector:
    """Seat the detector.

    Parameters
    ----------
    kind : a key of `DETECTORS`, "model:NAME", or the detector itself
    model, shots, temperature, repetition
        Of a language model, see `LanguageModelDetector`; `model` is the one without a name.

    Raises
    ------
    InvalidInput
        On an unknown kind, a model's seat without a model, or a detector of your own that cannot check.
    """
    check_settings(0.0, temperature)
    if not isinstance(kind, str):
        seen = "reply, policies, context"
        check_own(kind, "the detector", ("check",), seen, "support.participants.detectors.protocol")
        return kind
    check_kind("detector", kind, DETECTORS)
    if kind == LEXICAL:
        return LexicalDetector()
    if kind == NONE:
        return NoDetector()
    given = given_model(kind, model, "the seat of the detector")
    from support.participants.detectors.language_model import LanguageModelDetector

    return LanguageModelDetector(given, shots, temperature=temperature, repetition=repetition)
