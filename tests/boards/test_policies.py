"""The policies: all in their order, those that apply marked in words too."""

from support.boards.policies import policies_to_html
from support.environments.seminar.policies import PolicySet, load_policies


def test_those_that_apply_are_marked_in_words_and_for_screen_readers(read):
    policies = load_policies("seed")
    page = read(policies_to_html(policies, ("vague", "gone")))
    items = [e for e in page.elements if e.tag == "li"]
    assert [e.attributes.get("aria-current") for e in items] == ["true" if p.id == "vague" else None for p in policies]
    words = " ".join(page.said)
    assert words.startswith("6 policies, 1 applies today begin") and words.count("✓ applies today") == 1
    assert f"vague ✓ applies today {policies['vague'].text}" in words
    assert all(policy.text in words for policy in policies)


def test_without_policies_it_says_so(read):
    assert "There are no policies" in read(policies_to_html(PolicySet(), ())).text
