"""The policies of an organiser, with those that apply today marked."""

from __future__ import annotations

from collections.abc import Collection

from support.boards.pieces import block, board, chip, count, said
from support.environments.seminar.policies import Policy, PolicySet


def policies_to_html(policies: PolicySet, selected: Collection[str]) -> str:
    """All policies in their order; those in `selected` stand out in colour and in words (Figure 3A)."""
    if not len(policies):
        return board("policies", "<p>There are no policies: the organiser follows none.</p>", "Policies")
    applied = sum(policy.id in selected for policy in policies)
    apply = "applies" if applied == 1 else "apply"
    head = f"<p>{count(len(policies), 'policy', 'policies')}, <b>{applied} {apply} today</b></p>"
    items = "".join(_policy(policy, policy.id in selected) for policy in policies)
    return board("policies", f"{head}<ul>{items}</ul>", "Policies")


def _policy(policy: Policy, applies: bool) -> str:
    look, now = (" applies", ' aria-current="true"') if applies else ("", "")
    mark = chip("sure", "✓", "applies today") if applies else ""
    return f'<li class="policy{look}"{now}><b>{said(policy.id)}</b> {mark}{block(policy.text)}</li>'
