"""A stored record, played again from what made it: nobody is asked, and it is equal."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from support.errors import InvalidInput
from support.models import connect, serving
from support.models.model import ChatModel
from support.models.replies import Cache
from support.runs.sweep import OBJECT, stream, unlabelled


async def replay(record: Any, cache: str | Path | None = None, **objects: Any) -> Any:
    """Play a record again, given itself, or what made it (`store.row(unit)["made"]`).

    Models reply from the file `cache` alone. What stands in the settings by name and
    source (a rule or a model of one's own, a folder of prompts) is passed by the name
    of its setting, and the study as `study` where it cannot be imported. A model passed by
    the name behind "model:" sits there, and replies from the file, too.
    """
    made = getattr(record, "made", record)
    if not isinstance(made, Mapping) or "stream" not in made:
        raise InvalidInput("replay: this record does not say what made it")
    kept = Cache(cache) if cache else None
    study = objects.pop("study", None) or resolve_name(made["study"])
    for name, value in objects.items():
        if isinstance(value, ChatModel):
            objects[name] = value.replaying(kept)
    given = {}
    for name, value in made["settings"].items():
        given[name] = objects.get(name, unlabelled(value))
        lost = OBJECT in json.dumps(value)
        if lost and name not in objects:
            raise InvalidInput(
                f"replay: {name} cannot be made from a name alone; pass what stood "
                f"there: replay(…, {name}=…)"
            )
    if "repetition" in inspect.signature(study).parameters:
        given["repetition"] = made["repetition"]

    def seated(name: str) -> ChatModel:
        """Whoever goes by a name, replying from the file."""
        return objects.get(name) or connect(name, cache=kept, offline=True)

    rng = stream(made["seed"], made["stream"])
    with serving(make=seated):
        return await study(rng=rng, **given)
