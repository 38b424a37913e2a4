"""The data are the original's, however they come; anything else is refused and left as it is."""

import shutil

import pytest

from support.downloads import movielens_100k
from support.errors import DamagedFile
from support.roundtable.ratings import GENRES, TEST, _ratings, read

MONTH = "Feb"


@pytest.fixture
def copied(real, tmp_path):
    """A private copy of the wheel's files, to be damaged."""
    folder = movielens_100k()
    if not (folder / "ml-100k.inter").is_file():
        pytest.skip("this machine has the original archive, not the wheel's files")
    return shutil.copytree(folder, tmp_path / "copy")


def write_archive(data, folder, *, whole):
    """The data as the original archive has them, with days for release dates."""
    lines = {
        "u.user": ["|".join(map(str, row)) for row in data.users.drop(columns="state").itertuples(name=None)],
        "u.item": [
            "|".join(
                [str(item), f"{title} ({year})" if year else title, f"07-{MONTH}-{year}" if year else "", "", "address"]
                + [str(int(genre in genres)) for genre in GENRES]
            )
            for item, title, year, genres in data.items.itertuples(name=None)
        ],
    }
    for name, rows in {"u1.base": data.base, "u1.test": data.test}.items():
        lines[name] = ["\t".join(map(str, row)) for row in rows.itertuples(index=False, name=None)]
    if whole:
        ratings = _ratings(movielens_100k())
        lines["u.data"] = ["\t".join(map(str, row)) for row in ratings.itertuples(index=False, name=None)]
        del lines["u1.base"], lines["u1.test"]
    folder.mkdir()
    for name, text in lines.items():
        (folder / name).write_text("\n".join(text) + "\n", encoding="latin-1", errors="replace")
    return folder


def test_the_split_is_the_official_one(real):
    assert (len(real.base), len(real.test), len(real.users), len(real.items)) == (80_000, TEST, 943, 1682)
    pairs = [set(zip(part["user"], part["item"], strict=True)) for part in (real.base, real.test)]
    assert not pairs[0] & pairs[1]
    assert real.base["user"].nunique() == 943 and real.base["item"].nunique() == 1650


def test_titles_have_no_years_and_dates_nothing_but_digits(real):
    assert not real.items["title"].str.contains(r"\(\d{4}\)$").any()
    assert set(real.items["release"].str.len()) <= {0, 4, 8}
    assert real.items["release"].str.isdigit().sum() >= len(real.items) - 3
    assert real.items["genres"].map(len).min() >= 1


@pytest.mark.parametrize("whole", [True, False], ids=["u.data", "u1.base and u1.test"])
def test_the_original_archive_gives_the_same_data_with_days_in_its_dates(real, tmp_path, whole):
    if not (movielens_100k() / "ml-100k.inter").is_file():
        pytest.skip("this machine has the original archive, which the other tests read")
    again = read(write_archive(real, tmp_path / "archive", whole=whole))
    assert again.base.equals(real.base) and again.test.equals(real.test) and again.users.equals(real.users)
    dated = [f"{year}0207" if year else "" for year in real.items["release"]]
    assert again.items["release"].tolist() == dated
    assert again.items["genres"].tolist() == real.items["genres"].tolist()


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("ml-100k.inter", b"\t3\t", b"\t4\t", "do not give the original u.data"),
        ("ml-100k.inter", b"\t3\t", b"\tthree\t", "do not have the form of MovieLens-100k"),
        ("ml-100k.user", b"\n1\t", b"\n2\t", "list of users in .* has 943 rows; expected the numbers 1 to 943"),
        ("ml-100k.item", b"\n1\t", b"\nx\t", "do not have the form of MovieLens-100k"),
    ],
)
def test_changed_files_are_refused_and_left_as_they_are(copied, name, old, new, said):
    changed = (copied / name).read_bytes().replace(old, new, 1)
    (copied / name).write_bytes(changed)
    with pytest.raises(DamagedFile, match=said):
        read(copied)
    assert (copied / name).read_bytes() == changed
