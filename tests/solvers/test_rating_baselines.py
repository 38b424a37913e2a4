"""Effects and variances are those of the ratings given."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.solvers.rating_baselines import fit_effects

RATINGS = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 5)),
    min_size=1,
    max_size=30,
)


def test_the_three_variances_are_found_again():
    rng, n = np.random.default_rng(0), 6000
    u, i = rng.integers(150, size=n), rng.integers(80, size=n)
    stars = 3 + rng.normal(0, 0.5, 150)[u] + rng.normal(0, 0.4, 80)[i]
    noisy = stars + rng.normal(0, 0.8, n)
    found = fit_effects(pd.DataFrame({"user": u, "item": i, "rating": noisy}))
    assert found.noise_sd == pytest.approx(0.8, rel=0.05)
    assert found.user_sd == pytest.approx(0.5, rel=0.2)
    assert found.item_sd == pytest.approx(0.4, rel=0.3)


@settings(max_examples=20)
@given(RATINGS)
def test_property_predictions_stay_on_the_scale_and_do_not_depend_on_the_order_of_ratings(
    rows,
):
    base = pd.DataFrame(rows, columns=["user", "item", "rating"])
    users, items = np.arange(9), np.arange(9)
    effects, again = fit_effects(base), fit_effects(base.iloc[::-1])
    stars = effects.predict(users, items)
    assert stars.shape == (9,) and ((stars >= 1) & (stars <= 5)).all()
    assert again.predict(users, items) == pytest.approx(stars, abs=1e-9)
    assert effects.predict([99], [99]) == pytest.approx(np.clip(effects.mean, 1, 5))
