"""From the progress of the morning to the mails of the day, past the checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.environments.seminar.ledger import evening, refusal
from support.environments.seminar.views import DayPlan, Desk, Draft
from support.errors import InvalidInput
from support.mechanisms.organizing_office import Office
from support.mechanisms.organizing_post import Post
from support.mechanisms.organizing_review import Checkpoint
from support.mechanisms.organizing_slips import Asked, checked_letter
from support.participants.organizers.protocol import Organizer
from support.records import Action, Mail
from support.records.organizing import ACTION, MAIL, PLAN, SENT


class Workday:
    """Sums up, selects, plans, acts, writes."""

    def __init__(self, office: Office, organizer: Organizer, checkpoint: Checkpoint, post: Post) -> None:
        self._office, self.organizer, self.checkpoint, self.post = office, organizer, checkpoint, post

    async def look(self) -> tuple[str, tuple[str, ...]]:
        """The progress, and which policies apply."""
        desk, slips = self._office.desk(), self._office.slips
        progress = await slips.ask("organizer", "progress", self.organizer.progress(desk), "")
        selected = await slips.ask("organizer", "select", self.organizer.select(desk, progress), ())
        known = [policy.id for policy in self._office.policies]
        for stranger in (name for name in selected if name not in known):
            slips.note("organizer", "select", f"policy {stranger!r} given; expected some of {', '.join(known)}")
        return progress, tuple(dict.fromkeys(name for name in selected if name in known))

    async def decide(self, progress: str, selected: tuple[str, ...]) -> tuple[DayPlan | None, list[Action]]:
        """The plan, and its actions; without a plan there are none."""

        async def made(wish: str = "") -> DayPlan | None:
            """A plan, by a wish or without one."""
            asked = self.organizer.plan(self._office.desk(), progress, selected, wish)
            plan: DayPlan | None = await self._office.slips.ask("organizer", "plan", asked)
            return plan

        plan = await made()
        if plan and self.checkpoint.stops(PLAN, "", self._office.flagged):
            plan, edit = await self.checkpoint.look(self._office.desk(), PLAN, plan, "", made)
            self._office.remember(edit)
        return plan, await self._actions(plan, selected) if plan else []

    async def _actions(self, plan: DayPlan, selected: tuple[str, ...]) -> list[Action]:
        async def made(wish: str = "") -> tuple[Action, ...]:
            asked = self.organizer.act(self._office.desk(), plan, selected, wish)
            return tuple(await self._office.slips.ask("organizer", "act", asked, ()))

        kept: list[Action] = []
        for proposed in await made():
            if not self._possible(proposed, kept, "organizer"):
                continue
            action = await self._shown(proposed, made)
            if action and (action == proposed or self._possible(action, kept, "reviewer")):
                kept.append(action)
        return kept

    def _possible(self, action: Action, kept: Sequence[Action], agent: str) -> bool:
        """Whether an action can be carried out beside others of the day; why not is noted."""
        why = refusal(evening(self._office.state, kept), action)
        if not why and action.person in {other.person for other in kept}:
            why = f"action: a second one for {action.person} given; expected at most one a day"
        if why:
            self._office.slips.note(agent, "act", why)
        return not why

    async def _shown(self, action: Action, made: Any) -> Action | None:
        """An action after its checkpoint."""

        async def again(wish: str) -> Action | None:
            found = next((other for other in await made(wish) if other.person == action.person), None)
            if found is None:
                self._office.slips.note("organizer", "act", f"no action for {action.person} when it was asked again")
            return found

        if not self.checkpoint.stops(action.kind, action.person, self._office.flagged):
            return action
        left, edit = await self.checkpoint.look(self._office.desk(), ACTION, action, action.person, again)
        self._office.remember(edit)
        return left

    async def send(self, actions: Sequence[Action]) -> list[Mail]:
        """Mails of the actions that are not to wait: all drafted, each looked at, then sent."""
        writing = [action for action in actions if action.kind in SENT]
        desk = self._office.desk()
        asked = [Asked("organizer", "draft", self._draft(desk, action)) for action in writing]
        drafts = await self._office.slips.together(asked)
        sent = []
        for action, draft in zip(writing, drafts, strict=True):
            if left := draft and await self._read_over(action, draft):
                mail = self._office.letter(action, left)
                if await self._office.slips.ask("post", "send", self._carried(mail), False):
                    sent.append(self._office.enter(mail, action))
        return sent

    async def _carried(self, mail: Mail) -> bool:
        await self.post.send(mail)
        return True

    async def _draft(self, desk: Desk, action: Action, wish: str = "") -> Draft:
        return _letter(action, await self.organizer.draft(desk, action, wish))

    async def _read_over(self, action: Action, draft: Draft) -> Draft | None:
        """A mail after its checkpoint."""

        async def again(wish: str) -> Draft | None:
            asked = self._draft(self._office.desk(), action, wish)
            made: Draft | None = await self._office.slips.ask("organizer", "draft", asked)
            return made

        if not (self.post.exact or self.checkpoint.stops(action.kind, action.person, self._office.flagged)):
            return draft
        left, edit = await self.checkpoint.look(self._office.desk(), MAIL, draft, action.person, again)
        self._office.remember(edit)
        try:
            return left and _letter(action, left)
        except InvalidInput as error:
            self._office.slips.note("reviewer", MAIL, str(error))
            return None


def _letter(action: Action, draft: Draft) -> Draft:
    """A mail of ours as it would leave; without a subject none does."""
    what = f"{action.kind} to {action.person}"
    checked = checked_letter(what, draft.subject, draft.body)
    if not checked.subject:
        raise InvalidInput(f"{what}: an empty subject given; expected some text")
    return checked
