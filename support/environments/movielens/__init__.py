"""The rating task of RoundTable: three agents, each with one table, predict one MovieLens-100k rating (section 4.2).

sources        the files as they come: the original archive, or recbole's wheel
ratings        the data, with the official u1 split and its sums
places         the state of a ZIP code
similarity     likeness of users from a non-negative factorisation
knowledge      what anybody may know of ratings at large, from u1.base alone
advice         what the recommender says of a user and a film
backgrounds    the three tables, one for each agent
case           which ratings are predicted
task           the environment
"""

from support.environments.movielens.backgrounds import AGENTS, RaterBackground, leaks
from support.environments.movielens.case import Case, draw_cases
from support.environments.movielens.knowledge import Priors
from support.environments.movielens.ratings import MovieLens100k, load
from support.environments.movielens.task import MovieLens, from_spec, movielens

__all__ = [
    "AGENTS",
    "Case",
    "MovieLens",
    "MovieLens100k",
    "Priors",
    "RaterBackground",
    "draw_cases",
    "from_spec",
    "leaks",
    "load",
    "movielens",
]
