"""Labels of people as our acts, who labels what, and what annotators make of messages that nobody expected."""

import asyncio

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.analysis import annotators as an
from support.analysis import dialogue_acts as da
from support.analysis.agreement import MEAN, evaluate
from support.corpora import AMI_LABELS, delidata
from support.errors import ContextOverflow, InvalidInput, ModelUnavailable
from support.models import serving
from support.models.stand_ins import scripted

TAUGHT = {
    "good A is worth sixty to me": "inform",
    "my weight on B is twenty": "inform",
    "what do you need ?": "request",
    "which good is yours ?": "request",
    "hello": "others",
    "well": "others",
}
TAUGHT = pd.DataFrame(TAUGHT.items(), columns=["text", "acts"])
TAUGHT["acts"] = [(act,) for act in TAUGHT["acts"]]


def label(annotator, *texts):
    return asyncio.run(annotator.label(pd.DataFrame({"text": texts})))


@pytest.fixture
def taught(words):
    return an.SentenceAnnotator("taught", an.learn(TAUGHT, words))


def test_every_label_of_people_is_mapped(have):
    assert set(da.bridge("ami")["label"]) == set(AMI_LABELS)
    chats, known = have(delidata), set(da.bridge("delidata")["label"])
    assert set(chats["kind"] + "/" + chats["target"]) <= known
    rows = [("Solution", "solution_summary,x"), ("Reasoning", "")]
    both = pd.DataFrame(rows, columns=["target", "additional"])
    both["kind"] = "Non-probing-deliberation"
    assert da.acts_of_delidata(both) == [("summarize", "propose"), ()]


def test_no_team_is_on_both_sides_of_the_split(have):
    seen, unseen = have(da.labelled_ami)
    assert not set(seen["run"]) & set(unseen["run"])
    assert {name[:2] for name in unseen["run"]} >= {"ES", "IS", "TS"}


def test_the_authors_are_balanced_over_acts_and_environments():
    sentences = da.authors()
    assert not sentences["text"].duplicated().any()
    for _, own in sentences.groupby("run"):
        assert own["acts"].explode().value_counts().reindex(da.LABELS).min() >= 8
        assert own["environment"].value_counts().nunique() == 1


# ---- who labels ----------------------------------------------------------------------------------------------------

KINDS = {"Ana": "linear", "Ben": "model:chat", "Cleo": "model:embedded"}
TALK = pd.DataFrame(
    [
        (1, 1, "Ana", ("inform",), "I value A."),
        (1, 1, "Ben", (), "And what is yours?"),
        (1, 2, "Cleo", (), "Let us split A."),
    ],
    columns=["run", "round", "sender", "acts", "text"],
    index=[7, 5, 9],
)
TALK = TALK.assign(kind=TALK["sender"].map(KINDS), seats=["rules", "chat", "small"])


class Always:
    name, unseen, problems = "always", ("defend",), {}

    async def label(self, messages, talk=None):
        return [("accept",)] * len(messages)


def labelled(words, annotators=None, talk=TALK):
    with serving(make=lambda name: scripted(lambda chat: {"acts": ["request"]})):
        return asyncio.run(an.labelled(talk, annotators, words))


def test_what_is_known_stays_a_model_labels_its_own_talk_and_the_embedded_one_is_not_asked(
    words,
):
    made = labelled(words)
    assert made.index.tolist() == [7, 5, 9]
    assert made["acts"].tolist()[:2] == [("inform",), ("request",)]
    by = made["labelled_by"].tolist()
    assert by[0] == an.TRUE and by[1].startswith("model") and by[2] == an.OFFLINE
    assert made.attrs["unseen"]["chat"] == () and "rules" not in made.attrs["unseen"]
    assert {"defend", "decline"} <= set(made.attrs["unseen"]["small"])
    assert "defend" in an.whose(made)
    assert TALK["acts"].tolist()[1:] == [(), ()]


def test_who_is_named_labels_and_whoever_cannot_be_asked_is_stood_in_for(words):
    made = labelled(words, {"chat": Always(), "model:embedded": "model:chat"})
    assert made["acts"].tolist()[1:] == [("accept",), ("request",)]
    assert made.attrs["unseen"] == {"chat": ("defend",), "small": ()}
    assert labelled(words, an.OFFLINE)["labelled_by"].tolist()[1:] == [an.OFFLINE] * 2
    people = labelled(words, talk=TALK.drop(columns=["kind", "seats"]))
    assert people.attrs["unseen"] == {an.PEOPLE: da.LABELS}

    def nobody(name):
        raise ModelUnavailable("no key")

    with serving(make=nobody):
        assert an.annotator_for("model:chat", encoder=words).name == an.OFFLINE
        with pytest.raises(ModelUnavailable):
            an.annotator_for("linear", "model:chat")
    with pytest.raises(InvalidInput, match="'embeding' given; expected embedding, or"):
        an.annotator_for("linear", "embeding")


def test_the_offline_annotator_agrees_with_an_author_whom_it_never_read(encoder):
    """And an act of which that is not sure is one that its labels cannot show: no "rare" comes from what it misses."""
    sentences, rng = da.authors(), np.random.default_rng(1)
    fourth = sentences[sentences["run"] == da.HELD_OUT]
    annotator = an.offline(encoder)
    given = asyncio.run(annotator.label(fourth))
    made = evaluate(fourth["acts"], given, fourth.index, rng, draws=200)
    kappa = made[made["measure"] == "kappa"].set_index("act")
    assert kappa.loc[MEAN, "low"] > 0.6
    told = [act for act in da.LABELS if act not in annotator.unseen]
    assert 5 <= len(told) < len(da.LABELS)
    assert kappa.loc[told, "value"].min() > an.MODERATE


# ---- sentences -----------------------------------------------------------------------------------------------------


@given(st.text(alphabet="ab .?!\n", max_size=3000))
def test_property_no_letter_is_lost_between_sentences_and_none_is_too_long(text):
    read = an.pieces(text)
    assert [c for c in "".join(read) if c in "ab"] == [c for c in text if c in "ab"]
    assert max(map(len, read), default=0) <= an.LONGEST


def test_a_message_performs_the_acts_of_its_sentences_whatever_its_numbers(taught):
    both, long, greeting = label(
        taught,
        "my weight on B is twenty. what do you need ?",
        "well " * 2490 + ". what do you need ?",
        "hello",
    )
    assert both == ("inform", "request") and greeting == ("others",)
    assert "request" in long, "the end of a long one counts"
    assert an.pieces("A is 33.34 % and B 1,000.") == an.pieces("A is 7 % and B 2.")


def test_nothing_to_read_is_others_and_another_script_stays_unlabelled(taught):
    assert label(taught, "", "  \n ", "🙂🎉👍", "?!") == [("others",)] * 4
    assert label(taught, "我同意", "hello", "Я за") == [(), ("others",), ()]


# ---- a language model ----------------------------------------------------------------------------------------------


def asked_of(script, messages=TALK, talk=None, **scheme):
    asked = []

    def reply(chat):
        asked.append(chat[1]["content"])
        return script(chat) if callable(script) else script

    annotator = an.LanguageModelAnnotator(scripted(reply), **scheme)
    return asyncio.run(annotator.label(messages, talk)), asked


def test_a_model_is_given_every_meaning_the_message_and_the_round_before_it_only():
    acts, asked = asked_of({"acts": ["request", "inform", "others"]}, TALK[2:], TALK)
    assert acts == [("inform", "request")]
    lines = ("Ana: I value A.", "Ben: And what is yours?", "Let us split A.")
    assert all(line in asked[0] for line in lines) and len(asked) == 1
    _, asked = asked_of({"acts": ["inform"]}, TALK.assign(run=[1, 1, 2]))
    assert all("nothing was said before" in question for question in asked)
    briefing = an.question("Ana", "Hello.")[0]["content"]
    assert all(meaning in briefing for meaning in da.MEANINGS.values())


def test_a_reply_that_does_not_fit_and_a_message_too_long_leave_it_unlabelled():
    def odd(chat):
        return {"acts": ["agree" if "split" in chat[1]["content"] else "inform"]}

    acts, asked = asked_of(odd)
    assert acts == [("inform",), ("inform",), ()] and len(asked) == 2 + 3
    acts, _ = asked_of(ContextOverflow("too long"), TALK[:1])
    assert acts == [()]
    acts, asked = asked_of({"acts": ["inform"]}, TALK.assign(text=["", " ", "🙂"]))
    assert acts == [("others",), ("others",), ("inform",)] and len(asked) == 1
    with pytest.raises(ModelUnavailable):
        asked_of(ModelUnavailable("no such model"))


def test_a_model_labels_by_a_scheme_of_ones_own_also_what_had_acts_of_ours(words):
    scheme, asked = {"question": "asks", "number": "counts", "rest": "idles"}, []

    def reply(chat):
        asked.append(chat[0]["content"])
        return {"acts": ["rest", "question"] if "yours" in chat[1]["content"] else []}

    with serving(make=lambda name: scripted(reply)):
        talk = TALK[:2].assign(text=["", TALK["text"].iloc[1]])
        made = asyncio.run(an.labelled(talk, "model:chat", words, scheme))
    assert made["acts"].tolist() == [("rest",), ("question",)]
    assert '"rest" alone' in asked[0] and "number: the writer counts" in asked[0]
    assert "inform" not in asked[0]
    done = made.assign(text="")
    again = asyncio.run(an.labelled(done, Always(), words, scheme))
    assert again["labelled_by"].eq(an.TRUE).all()
    acts, _ = asked_of({"acts": ["inform"]}, TALK[:1], meanings=scheme)
    assert acts == [()]
    with pytest.raises(InvalidInput, match="labels of your own"):
        an.annotator_for("linear", encoder=words, meanings=scheme)


def test_what_users_get_wrong(words):
    with pytest.raises(InvalidInput, match="'inquire' given; expected some of inform"):
        da.checked_acts(["inform", "inquire"])
    with pytest.raises(InvalidInput, match="they show inform; label"):
        an.learn(TAUGHT[:2], words)
