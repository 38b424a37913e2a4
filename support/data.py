"""Where every input lies: the project's own, and outside data that is not ours to redistribute.

The project's own inputs live in `data/inputs`. Outside data sets live in one folder, named by the
environment variable CONVENE_DATA; each has its source, its licence and a sum for every file, so
that a result never rests on a file that is not what it claims to be.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from support.errors import DamagedFile, InvalidInput, MissingData

ROOT = Path(__file__).resolve().parent.parent
"""The repository's root, two floors above this file."""

VARIABLE = "CONVENE_DATA"


@dataclass(frozen=True, slots=True)
class DataSet:
    """One outside data set: what it is, whose it is, how to get it, and the sha256 sum of each file.

    `folder` and the names in `sums` are relative to the folder of outside data.
    """

    folder: str
    source: str
    licence: str
    how: str
    sums: Mapping[str, str]


def inputs(*parts: str) -> Path:
    """A file or folder of the project's own inputs, such as ``inputs("published", "README.md")``.

    Raises
    ------
    MissingData
        It is not there, as when only the package was installed and not the repository.
    """
    path = ROOT.joinpath("data", "inputs", *parts)
    if not path.exists():
        raise MissingData(
            f"the project's own input {'/'.join(parts) or 'data/inputs'} is not at {path}. It comes with the "
            "repository: run from a checkout (pip install -e .), or restore it with git checkout -- data/inputs."
        )
    return path


def shared(name: str) -> Path:
    """The folder of an outside data set, after every one of its files was found and its sum checked.

    Raises
    ------
    InvalidInput
        No such data set is registered.
    MissingData
        The data set, or one of its files, is not there.
    DamagedFile
        A file's sum is not the registered one.
    """
    for path in files(name):
        if _sum(path) != DATA_SETS[name].sums[path.name]:
            raise DamagedFile(
                f"{path} of data set {name!r} is not the registered file: its sha256 sum differs. "
                f"It is left as it is; move it away and get the file again: {DATA_SETS[name].how}"
            )
    return home() / DATA_SETS[name].folder


def files(name: str) -> tuple[Path, ...]:
    """The registered files of an outside data set, in order; they exist, their sums are not checked here."""
    data_set = _registered(name)
    folder = home() / data_set.folder
    paths = tuple(folder / file for file in sorted(data_set.sums))
    absent = [path.name for path in paths if not path.is_file()]
    if absent:
        raise MissingData(
            f"data set {name!r} lacks {len(absent)} of {len(paths)} files in {folder}, first {absent[0]}. "
            f"Source: {data_set.source}. {data_set.how}"
        )
    return paths


def _registered(name: str) -> DataSet:
    if name not in DATA_SETS:
        raise InvalidInput(f"data set {name!r} is not registered; known are: {', '.join(sorted(DATA_SETS))}.")
    return DATA_SETS[name]


def home() -> Path:
    """The folder of outside data, whether it is there or not."""
    # A relative path counts from the repository, so that a notebook in its own folder finds what CI finds.
    return (ROOT / (os.environ.get(VARIABLE) or "../shared/data")).resolve()


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


DATA_SETS: Mapping[str, DataSet] = {
    "ami": DataSet(
        folder=".",
        source="AMI Meeting Corpus, manual annotations 1.6.2, https://groups.inf.ed.ac.uk/ami/corpus",
        licence="CC BY 4.0",
        how=(
            "Put ami_dialogue_acts.csv.gz (meeting, speaker, dact_id, start, label, addressee, text: one row for each "
            f"dialogue act of half of the meetings) into the folder that the environment variable {VARIABLE} names "
            "(see DATA_LICENSES.md)."
        ),
        sums={"ami_dialogue_acts.csv.gz": "9848e71f94521fe8f643a6a3732ba5e71acc2c945f6c80097b9d8e47d4d55c90"},
    ),
    "casino": DataSet(
        folder=".",
        source="CaSiNo, campsite negotiations, https://github.com/kushalchawla/CaSiNo",
        licence="CC BY 4.0",
        how=(
            "Put casino_valid.json.gz and casino_test.json.gz (the splits valid and test, a JSON list of dialogues "
            f"each, gzipped) into the folder that the environment variable {VARIABLE} names (see DATA_LICENSES.md)."
        ),
        sums={
            "casino_test.json.gz": "c7f292f20f75a32956c5af5dc8b5f18289f46c0552a8c970c276a0a01c71fe43",
            "casino_valid.json.gz": "5fb7d33d183207a0c3756f0a92ef836e70460a2d988f0e43ff9b2a5abb2630b7",
        },
    ),
    "delidata": DataSet(
        folder=".",
        source="DeliData, https://github.com/gkaradzhov/delitoolkit",
        licence="Apache-2.0",
        how=(
            "Put delidata.tsv.gz (half of the groups of the annotated corpus) into the folder that the environment "
            f"variable {VARIABLE} names (see DATA_LICENSES.md)."
        ),
        sums={"delidata.tsv.gz": "d6b3cb4b6d506acbe1e1ddd667b04814dd3c555a184c64ea87e208170ef0fe13"},
    ),
    "natural_plan": DataSet(
        folder=".",
        source="NaturalPlan, calendar scheduling, https://github.com/google-deepmind/natural-plan",
        licence="CC BY 4.0",
        how=(
            "Put natural_plan_calendar.jsonl.gz (id, prompt, golden_plan: one line for each of 500 problems) into the "
            f"folder that the environment variable {VARIABLE} names (see DATA_LICENSES.md)."
        ),
        sums={"natural_plan_calendar.jsonl.gz": "5ae7ed3ea46fa93219cfc853147f1801d1aa5be94e983c20f955a58b50ad3a05"},
    ),
    "preflib": DataSet(
        folder="preflib",
        source="PrefLib, https://www.preflib.org, data sets 00006 (skating judges) and 00035 (breakfast items)",
        licence="no licence is stated in the files; cite Mattei and Walsh (2013), do not redistribute",
        how=(
            "Download the .soc files of both data sets from PrefLib into a folder named preflib, and set the "
            f"environment variable {VARIABLE} to the folder that holds it (see DATA_LICENSES.md)."
        ),
        sums={
            "00006-00000003.soc": "ff0bf395b73ccd8989b81cee0d78ddc4cefabb6b4e68b9942081e8bfd4e83dba",
            "00006-00000004.soc": "1f4b9ef50f921262d68f2eeb403a249be6697c7dd800d8c60554836b79d2e292",
            "00006-00000007.soc": "842e9b08e5cae0838586d85577e68dbc58ca0bc47b6084918f90240a173f65dc",
            "00006-00000008.soc": "a7bb98e9f7723d88f85a607cfb670df2b44bf1e0753e2f6c1aa7495e145f615d",
            "00006-00000011.soc": "b7919ad297feda3ec80b20acbb4091c48ec7005862c7845d77b40d6a53639d11",
            "00006-00000012.soc": "7ab9220acac59b1e18365852c28db8c5cf3967dfe002d406d869fde10ab7292f",
            "00006-00000018.soc": "1bab49dddf0b09b061e17ab48556d5a948e69c47dca1a1a47bb610a0a4e6721c",
            "00006-00000021.soc": "39f37f7cca41e53723ca130430e137fb161aae34c88ecb2d6f50f4ae32975cab",
            "00006-00000022.soc": "cc32dbfe8f8b6af4b7da03becd548127acb16709def599845c06e108d11817ee",
            "00006-00000028.soc": "5f36c4a61c01d823d5976919703c675444b194e45fd1df0a4f14ebf5a27899de",
            "00006-00000029.soc": "cea6f63232723f43250b0d00787d8edc61c5f33dde1243faf93d74603bb80afb",
            "00006-00000032.soc": "6ba416caa2d85cea3f7ece480e2c61566abd02de691d8b58b240062a433a7e09",
            "00006-00000033.soc": "791c38a71ce2375f4e0aeaf04b3cfe64ba9f74572ef52c4537d063656eea702a",
            "00006-00000034.soc": "e1c3b99832b7a16240f270e4f88ad83d2245a18595e7a515b849d13e313fd54a",
            "00006-00000035.soc": "2d01820954ad8ef1529206b3de5c76dcec876a5a1df5d8c8fe6ef4e7c885c455",
            "00006-00000036.soc": "14416733cb430fbae647163f58f7fa0e6e9173cf2f68d717386085616828983a",
            "00006-00000037.soc": "2de2b7577a4eecfb79013935867be46f93512a78ffc0dffc0e582f5ab1c59eb5",
            "00006-00000044.soc": "1ab9ffe068d6a3f24b0baf22793b3e83960d615c6b85442825144d7918dc6f63",
            "00006-00000046.soc": "eeae46a0bc8b561b1488683df40e4c0d54db7353cdfaf028da620966b350341a",
            "00006-00000048.soc": "6c8afa5716c041f92dfc6b9140167dede8166119691fb449b9ea2c30abc81ffd",
            "00035-00000002.soc": "f3043c0ccd971325ca1ebcfee43341583071b75a0cef912f0ea1cf44ba337d7c",
            "00035-00000003.soc": "790784d5d6af984f3068049f09439017bc4879b8f2634928f900f2457ed0dee5",
            "00035-00000004.soc": "7013ed36716e5a2b0c2d7813b0da9cd272cf1bfe90eb66d7d8311485a6a32db0",
            "00035-00000005.soc": "2ca3130f67ba014b533cc49d7a6d7f052d70d6c237c9fd2da10c36b191c01294",
            "00035-00000006.soc": "312fb2ee3148cd8a30a502d30667e92425bfa6f25e0fe565b510a74ca2a94ca3",
            "00035-00000007.soc": "3f2e13622df8dd8e379dcd6ca129f844f1a22dd6e62f99a16836b9e013e790c7",
        },
    ),
}


def source_digest() -> str:
    """A sum over the package's sources, its inputs and what was trained or kept: it changes when a result could.

    What models are called and cost is left out: whoever edits it need not do a sweep again.
    """
    sources = sorted(p for p in (ROOT / "support").rglob("*") if p.suffix in {".py", ".j2", ".toml"})
    digest = hashlib.sha256()
    data = (ROOT / "data" / name for name in ("inputs", "models", "full_runs"))
    files = (p for folder in data for p in folder.rglob("*") if p.is_file() and p.name != "models.toml")
    for path in (*sources, *sorted(files)):
        digest.update(path.relative_to(ROOT).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def output(*parts: str) -> Path:
    """A place for what is made here (figures, build, data/runs): below the repository, or below CONVENE_OUTPUT.

    CONVENE_FIGURES names the folder of the figures, where a run with other participants puts its own.
    """
    if parts[0] == "figures" and (own := os.environ.get("CONVENE_FIGURES")):
        return Path(own, *parts[1:])
    return Path(os.environ.get("CONVENE_OUTPUT") or ROOT).joinpath(*parts)


def study_file(name: str) -> Path:
    """The SQLite file of a study, in data/runs: one for all who take part in it."""
    return output("data", "runs", f"{name}.sqlite")
