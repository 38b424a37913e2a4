"""A member whom a language model plays: a persona with preferences that only this member knows (appendix B.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from support.environments.meetings.company import COLLABORATOR, TEAMMATE, Profile
from support.environments.meetings.views import Chat
from support.participants.asking import Asker, words
from support.participants.facilitators.forms import TEXT, text_form
from support.participants.facilitators.told import difference, invitation, said
from support.prompts import render

if TYPE_CHECKING:
    from support.models.model import ChatModel


class LanguageModelMember(Asker):
    """Answers as the person whose profile and private text it is given.

    Parameters
    ----------
    profile : Profile
        The responsibilities in it are not told to the model: it should not talk of them.
    private_text : str
        The member's schedule preferences as free text.
    relations : mapping
        Names of this member's colleagues under "teammate" and "collaborator"; a missing one means nobody.
    model : ChatModel
    **settings
        See `Asker`.
    """

    def __init__(
        self,
        profile: Profile,
        private_text: str,
        relations: Mapping[str, Sequence[str]],
        model: ChatModel | str,
        **settings: Any,
    ) -> None:
        super().__init__(model, **settings)
        self.profile, self.private_text, self.relations = profile, private_text, relations

    async def answer(self, chat: Chat) -> str:
        """What the member says to the last turn of the conversation."""
        question = render("coordination/member_turn", me=self.profile.name, said=said(chat))
        form = text_form(self.limits.message)
        return str((await self.ask_model(form, TEXT + 40, question, self.briefing(chat))).text)

    def briefing(self, chat: Chat) -> str:
        """The persona and the invitation, as the model is told before each question."""
        apart = difference(chat.meeting, self.profile.zone).removeprefix("whose clock is ")
        return render(
            "coordination/member",
            me=self.profile.name,
            role=self.profile.role,
            manager=self.profile.manager,
            teammates=self.relations.get(TEAMMATE, ()),
            collaborators=self.relations.get(COLLABORATOR, ()),
            organiser=chat.meeting.organiser,
            elsewhere=f"yours is {apart}" if apart else "",
            preferences=self.private_text,
            words=words(self.limits, self.limits.message),
            **invitation(chat.meeting),
        )
