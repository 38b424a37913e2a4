"""Train the embedding annotator on AMI's human labels: ``python -m support.analysis.dialogue_acts.train``.

Deterministic: the teams are split by name, nothing is drawn, and the thresholds and the penalty come from folds over
the training teams. Takes about five minutes on two cores, nearly all of it for the embeddings, which are kept in
data/runs/embeddings.sqlite.
"""

from __future__ import annotations

import pandas as pd

from support.analysis.dialogue_acts.classifiers import COEFFICIENTS, STRENGTH, EmbeddingAnnotator
from support.analysis.dialogue_acts.mapping import AMI_TO_ACTS, acts_of_ami, team, unseen_teams
from support.analysis.embeddings import Encoder
from support.corpora import ami
from support.data import DATA_SETS, output


def labelled_ami() -> tuple[pd.DataFrame, pd.DataFrame]:
    """AMI's segments with our acts: those of the training teams, and those of the teams that no training sees.

    Returns
    -------
    (DataFrame, DataFrame)
        meeting, speaker, start, label, addressee, text, and run: the team; acts: a tuple of one.
    """
    segments = ami()
    acts = pd.Series(acts_of_ami(segments["label"]), dtype=object)
    segments = segments.assign(run=segments["meeting"].map(team), acts=acts)
    unseen = segments["run"].isin(unseen_teams(segments["meeting"]))
    return segments[~unseen].reset_index(drop=True), segments[unseen].reset_index(drop=True)


def main(encoder: Encoder | None = None) -> None:
    """Train on the training teams and write the coefficients."""
    seen, unseen = labelled_ami()
    encoder = encoder or Encoder(output("data", "runs", "embeddings.sqlite"))
    annotator = EmbeddingAnnotator.fit(seen, encoder)
    COEFFICIENTS.parent.mkdir(parents=True, exist_ok=True)
    annotator.save(COEFFICIENTS, _about(seen, unseen))
    print(f"{COEFFICIENTS}: {', '.join(annotator.heads.acts)}, from {len(seen)} segments")


def _about(seen: pd.DataFrame, unseen: pd.DataFrame) -> dict:
    return {
        "what": "one logistic regression an act on a sentence's embedding, question mark and length",
        "source": DATA_SETS["ami"].source,
        "licence": DATA_SETS["ami"].licence,
        "segments": len(seen),
        "training_meetings": sorted(seen["meeting"].unique()),
        "unseen_meetings": sorted(unseen["meeting"].unique()),
        "mapping": {label: act for label, (act, _) in AMI_TO_ACTS.items()},
        "strength": STRENGTH,
    }


if __name__ == "__main__":
    main()
