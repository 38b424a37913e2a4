"""What of the embedded model is recorded: sweeps, labels, readings, forms, selections, verdicts, each by its name."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from support.analysis.dialogue_acts.language_model import LanguageModelAnnotator
from support.analysis.dialogue_acts.samples import small_tests
from support.analysis.organizing.judging import model_selections, model_verdicts, one_voice
from support.answers import AnswerBook
from support.choice import RULES
from support.environments import natural_plan
from support.environments.seminar.policies import load_policies
from support.environments.seminar.suite import JudgedState, edge_cases, held_out_states
from support.errors import CallFailed
from support.instruments import load
from support.participants.detectors.language_model import SHOTS
from support.participants.parsers import model_parses
from support.participants.respondents.simulate import simulate
from support.store import Store
from support.studies import fair_decisions, meeting_coordination, roundtable_exchange, roundtable_movielens, seminar
from support.sweep import Sweep

if TYPE_CHECKING:
    from support.llm import ChatModel

Study = Callable[..., Awaitable[Any]]


@dataclass(frozen=True)
class Recording:
    """A sweep whose replies are kept, and under which name; `private` where its questions quote outside data."""

    name: str
    grid: Mapping[str, Sequence[Any]]
    study: Study = roundtable_exchange
    seed: int = 7
    repetitions: int = 1
    private: bool = False
    paired: Sequence[str] = ("rule",)

    def sweep(self, **grid: Sequence[Any]) -> Sweep:
        """The recorded sweep, or the part of it that has the given values of settings."""
        asked = {**self.grid, **grid}
        return Sweep(f"recorded {self.name}", self.study, asked, self.repetitions, self.seed, self.paired)

    async def play(self, store: Store, model: ChatModel) -> Mapping[str, int]:
        """Run the sweep; return its counts.

        Raises
        ------
        CallFailed
            When a unit failed.
        """
        count = await self.sweep().run(store, model=model, concurrency=1, progress=False)
        if count["failed"]:
            said = next(iter(store.failures(self.sweep().name).values()))
            raise CallFailed(f"recording {self.name}: {said}; nothing was written")
        return count


@dataclass(frozen=True)
class LabelRecording:
    """A model's labels of the small samples of `support.analysis.dialogue_acts.samples`."""

    name: str
    seed: int = 7
    private: bool = True

    @property
    def grid(self) -> Mapping[str, Any]:
        """What is labelled."""
        return {"sample": ["rule-based agents, sentences kept apart", "AMI turns, unseen meetings"]}

    async def play(self, store: Store, model: ChatModel) -> Mapping[str, int]:
        """Have every message labelled; return how many were, and how many replies did not fit their form."""
        annotator, errors, done = LanguageModelAnnotator(model), 0, 0
        for test in await small_tests(self.seed):
            done += len(await annotator.label(test.messages))
            errors += len(annotator.problems)
        return {"done": done, "failed": 0, "replies": model.calls, "format_errors": errors}


@dataclass(frozen=True)
class ParseRecording:
    """A model's readings of problems of NaturalPlan, drawn among those of at most three people on one day."""

    name: str
    problems: int = 20
    seed: int = 7
    private: bool = True

    @property
    def grid(self) -> Mapping[str, Any]:
        """What is read."""
        return {"problems": [self.problems], "most_people": [3], "most_days": [1]}

    def drawn(self) -> tuple[natural_plan.Problem, ...]:
        """The problems that the model was asked about."""
        rng = np.random.default_rng(self.seed)
        return natural_plan.draw(natural_plan.load(), self.problems, rng, most_people=3, most_days=1)

    async def play(self, store: Store, model: ChatModel) -> Mapping[str, int]:
        """Have every problem read; return how many were, and how many replies did not fit their form."""
        read = await model_parses(self.drawn(), model)
        return {"done": len(read), "failed": 0, "replies": model.calls, "format_errors": int((~read["valid"]).sum())}


@dataclass(frozen=True)
class SurveyRecording:
    """A model's forms of an instrument, for personas drawn with the seed."""

    name: str
    instrument: str = "meeting_survey"
    per_group: int = 2
    seed: int = 7
    private: bool = False

    @property
    def grid(self) -> Mapping[str, Any]:
        """What is filled in."""
        return {"instrument": [self.instrument], "per_group": [self.per_group]}

    async def fill(self, book: AnswerBook, model: ChatModel) -> int:
        """Put the model's forms into a book; return how many."""
        rng = np.random.default_rng(self.seed)
        return len(await simulate(load(self.instrument), book, self.per_group, rng, model))

    async def play(self, store: Store, model: ChatModel) -> Mapping[str, int]:
        """Have every form filled in; return how many were."""
        with tempfile.TemporaryDirectory() as scratch:
            done = await self.fill(AnswerBook(Path(scratch) / "answers.sqlite"), model)
        return {"done": done, "failed": 0, "replies": model.calls, "format_errors": 0}


@dataclass(frozen=True)
class SelectionRecording:
    """A model's selections of policies in every second of the held-out states, with and without the list of them."""

    name: str
    every: int = 2
    runs: int = 3
    seed: int = 7
    private: bool = False

    @property
    def grid(self) -> Mapping[str, Any]:
        """What is selected."""
        return {"states, every": [self.every], "listed": [False, True], "runs": [self.runs]}

    def states(self) -> list[JudgedState]:
        """The states that the model was asked about."""
        return held_out_states()[:: self.every]

    async def play(self, store: Store, model: ChatModel) -> Mapping[str, int]:
        """Have policies selected; return how often, and how many replies did not fit their form."""
        seed = load_policies("seed")
        asked = [
            await model_selections(model, self.states(), seed, listed=listed, runs=self.runs)
            for listed in (False, True)
        ]
        return _answers(model, *asked)


@dataclass(frozen=True)
class DetectionRecording:
    """A model's verdicts, in the paper's three settings, on one voice of every case of the suite."""

    name: str
    runs: int = 3
    seed: int = 7
    private: bool = False

    @property
    def grid(self) -> Mapping[str, Any]:
        """What is judged."""
        return {"voices of a case": [1], "shots": list(SHOTS), "runs": [self.runs]}

    async def play(self, store: Store, model: ChatModel) -> Mapping[str, int]:
        """Have replies judged; return how many were, and how many answers did not fit their form."""
        policies, replies = load_policies("seed"), one_voice(edge_cases())
        judged = [await model_verdicts(model, replies, policies, shots, runs=self.runs) for shots in SHOTS]
        return _answers(model, *judged)


def _answers(model: ChatModel, *frames: pd.DataFrame) -> Mapping[str, int]:
    table = pd.concat(frames)
    return {
        "done": len(table),
        "failed": 0,
        "replies": model.calls,
        "format_errors": int((table["problem"] != "").sum()),
    }


FIRST: Mapping[str, Sequence[Any]] = {"seats": ["model"], "temperature": [0.7]}
TABLE: Mapping[str, Sequence[Any]] = {"members": [3], "options": [2]}
PLANNED: Mapping[str, Sequence[Any]] = {"decisions": [3], "coordinator": ["model"]}
Recorded = Recording | LabelRecording | ParseRecording | SurveyRecording | SelectionRecording | DetectionRecording
RECORDINGS: Mapping[str, Recorded] = {
    made.name: made
    for made in (
        Recording("start_here", {"rule": ["majority"], **FIRST, "agents": [2], "rounds": [1]}),
        Recording("roundtable_exchange", {"rule": list(RULES), **FIRST, "agents": [3], "rounds": [2]}),
        Recording("roundtable_movielens", {"rule": ["majority", "rated"], **FIRST, "rounds": [2]}, roundtable_movielens,
                  private=True),
        LabelRecording("dialogue_acts"),
        Recording("meeting", {**TABLE, "temperature": [0.7], "seats": ["model"], "interviewer": ["model"],
                  "coordinator": ["model"], "evaluator": ["model"], "rounds": [2]}, meeting_coordination, paired=()),
        Recording("meeting_evaluator", {**TABLE, "design": ["single round", "rounds"], "evaluator": ["model"],
                  "rounds": [2]}, meeting_coordination, repetitions=10, paired=("design",)),
        ParseRecording("natural_plan"),
        SurveyRecording("meeting_survey"),
        Recording("fair_decisions", {**PLANNED, "feedback": ["words"], "seats": ["model"], "estimator": ["model"],
                  "rounds": [3], "temperature": [0.7]}, fair_decisions, paired=()),
        Recording("fair_decisions_rounds", {**PLANNED, "feedback": ["score"], "rounds": [3, 5, 7, 9]}, fair_decisions,
                  repetitions=2, paired=("rounds",)),
        Recording("fair_decisions_prompts", {**PLANNED, "prompt": ["full", "no example", "no objective"],
                  "feedback": ["score"], "rounds": [5]}, fair_decisions, repetitions=5, paired=("prompt",)),
        SelectionRecording("policy_selection"),
        DetectionRecording("edge_cases"),
        Recording("rehearsal_speakers", {"seats": ["model"], "until": [5], "temperature": [0.7]}, seminar, paired=()),
        Recording("rehearsal_organizer", {"organizer": ["model"], "detector": ["model"], "until": [2],
                  "temperature": [0.7]}, seminar, paired=()),
    )
}  # fmt: skip
