"""The form of the people who may be asked: a list, the fields of one of them, and a table to paste."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import ipywidgets as w

from support.models.profiles import MODEL
from support.seats import MIXED
from support.seminar.data import ROLES, Persona
from support.seminar.speakers import VARIATIONS
from support.widgets.dashboard.drafts import AS_ALL, NEW, Draft, draft_of, faults_of, persons_of
from support.widgets.dashboard.entries import Growing
from support.widgets.dashboard.parts import Field, grid, hint, over, there
from support.widgets.dashboard.pasting import read_table
from support.widgets.organizing.fields import Press, row, wide

MOST = 300
"""People on one list."""

PASTED = (
    "Copy the rows out of a spreadsheet, with their heads, or type CSV. Heads: name, email (both needed), role "
    "(professor, postdoc, phd student), field, affiliation; and for a rehearsal days, needs, vague, description, "
    "constraints."
)
REHEARSED = "How they answer in a rehearsal; shares are from 0 (never) to 1 (always)."
COLUMNS = {"name": "name", "email": "e-mail", "role": "role", "field": "field", "affiliation": "affiliation",
           "days": "days", "needs": "mails", "vague": "vague", "played": "played by"}  # fmt: skip
NUMBERS = {
    "days": ("working days until an answer", 0),
    "needs": ("mails until there is one", 1),
    "limit": ("dates named at first", 1),
}
SHARES = {
    "vague": "dates named vaguely",
    "forgets": "mails never answered",
    "cancels": "dates cancelled later",
    "share": "dates that suit",
}
WORDS = {
    "description": ("persona, in words", "who they are and how they write; for a language model that plays them"),
    "constraints": ("constraints, one a line", "for example: never on Fridays"),
    "issue": ("what they may bring up", "a wish that no policy covers; it is flagged for you"),
}


class PeopleForm:
    """Takes the list of people.

    Parameters
    ----------
    changed : callable
        Called when it is another.
    model : bool
        Whether a language model may play somebody.
    """

    def __init__(self, changed: Callable[[], None], model: bool) -> None:
        self.kinds = [*VARIATIONS, MIXED, *([MODEL] if model else [])]
        self.known, self.acting = _known(), _acting(self.kinds)
        self.people = Growing(
            "people", {**self.known, **self.acting}, _titled, faults_of, self._changed(changed),
            rows=15, new=NEW, most=MOST,
        )  # fmt: skip
        self.table = w.HTML()
        self._pasting()
        self.acted = w.VBox(
            [hint(REHEARSED), grid(*(self.acting[name].view for name in (*NUMBERS, "played", *SHARES))),
             grid(*(self.acting[name].view for name in WORDS), narrow="17rem")]
        )  # fmt: skip
        self.view = self._arranged()

    def _changed(self, tell: Callable[[], None]) -> Callable[[], None]:
        def changed() -> None:
            if hasattr(self, "table"):
                self.table.value = people_to_html(self.people.entries)
            tell()

        return changed

    def _pasting(self) -> None:
        self.pasted = over(
            w.Textarea(
                description="a table of people",
                rows=5,
                placeholder="name\temail\trole\nAna Ray\tana@example.org\tprofessor",
            )
        )
        self.take_button, self.instead_button = wide("Add these people"), wide("Replace the list by these")
        self.paste_error = w.HTML()
        press = Press(lambda: self.pasted.value, self.paste_error)
        press.button(self.take_button, self._take)
        press.button(self.instead_button, lambda: self._take(instead=True))

    def _arranged(self) -> w.VBox:
        left = w.VBox(
            [self.people.list, self.people.buttons, self.people.error],
            layout=w.Layout(flex="0 1 20rem", min_width="15rem"),
        )
        facts = grid(
            *(self.known[name].view for name in ("name", "email", "role", "field", "affiliation")), narrow="17rem"
        )
        right = w.VBox([facts, self.acted], layout=w.Layout(flex="1 1 30rem", min_width="0"))
        both = w.HBox([left, right], layout=w.Layout(flex_flow="row wrap", grid_gap="0 16px", width="100%"))
        inside = w.VBox([hint(PASTED), self.paste_error, self.pasted, row(self.take_button, self.instead_button)])
        folds = w.Accordion([inside, self.table], titles=("Paste a table", "The whole list as a table"))
        return w.VBox([both, folds])

    def fill(self, people: Sequence[Persona], played: Mapping[str, str] | None = None) -> None:
        """Show a list; who is played by somebody else than all, by name."""
        self.people.set([draft_of(person, (played or {}).get(person.name, AS_ALL)) for person in people])

    def rehearsed(self, shown: bool) -> None:
        """Whether they are simulated, and their ways count."""
        there(self.acted, shown)

    @property
    def persons(self) -> list[Persona]:
        """The people; see `drafts.persons_of`."""
        return persons_of(self.people.entries)

    def played(self, everybody: str) -> str | dict[str, str]:
        """Who plays whom: one kind, or a kind by each name where they differ."""
        kinds = {draft["name"].strip(): draft["played"] or everybody for draft in self.people.entries}
        return everybody if set(kinds.values()) <= {everybody} else kinds

    def check(self, shown: bool) -> list[str]:
        """What does not fit."""
        if not self.people.entries:
            return ["people: nobody is on the list; add somebody, or paste a table"]
        return self.people.check(shown)

    def _take(self, instead: bool = False) -> None:
        drafts = read_table(self.pasted.value, MOST)
        if instead:
            self.people.set(drafts)
        else:
            self.people.add(drafts)
        self.pasted.value = ""


def _titled(draft: Draft) -> str:
    facts = [draft["name"].strip(), draft["role"] if draft["name"].strip() else ""]
    return " · ".join(fact for fact in facts if fact)


def _known() -> dict[str, Field]:
    """The fields of what an organiser knows of somebody."""
    lines = {name: Field(w.Text(description=label)) for name, label in (("name", "name"), ("email", "e-mail"))}
    lines["role"] = Field(w.Dropdown(options=list(ROLES), description="role"))
    return lines | {name: Field(w.Text(description=name)) for name in ("field", "affiliation")}


def _acting(kinds: Sequence[str]) -> dict[str, Field]:
    """The fields of how somebody answers in a rehearsal."""
    made: dict[str, Any] = {
        name: w.BoundedIntText(value=low, min=low, max=99, description=label) for name, (label, low) in NUMBERS.items()
    }
    made |= {name: w.BoundedFloatText(min=0, max=1, step=0.1, description=label) for name, label in SHARES.items()}
    options = [("as everybody (see Roles)", AS_ALL), *((kind, kind) for kind in kinds)]
    made["played"] = w.Dropdown(options=options, value=AS_ALL, description="played by")
    made |= {
        name: w.Textarea(description=label, placeholder=example, rows=3) for name, (label, example) in WORDS.items()
    }
    return {name: Field(control) for name, control in made.items()}


def people_to_html(drafts: Sequence[Draft]) -> str:
    """A list of people as a table."""
    heads = "".join(f'<th scope="col">{label}</th>' for label in COLUMNS.values())
    rows = "".join(f"<tr>{''.join(_cell(draft, name) for name in COLUMNS)}</tr>" for draft in drafts)
    look = "max-height:18rem;overflow:auto;font:13px/1.35 system-ui,sans-serif"
    return (
        f'<div class="convene-people" style="{look}" tabindex="0" role="group" aria-label="the list of people">'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _cell(draft: Draft, name: str) -> str:
    text = escape(str(draft[name])) or ("as everybody" if name == "played" else "")
    return f'<th scope="row">{text}</th>' if name == "name" else f"<td>{text}</td>"
