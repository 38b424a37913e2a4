import pytest

from support.errors import InvalidInput
from support.llm.address import address, plain


@pytest.mark.parametrize(
    ("given", "url", "local"),
    [
        ("https://api.example.org/v1/", "https://api.example.org/v1", False),
        ("http://LOCALHOST:8000/v1", "http://localhost:8000/v1", True),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1", True),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1", True),
        ("http://10.0.0.7:11434/v1", "http://10.0.0.7:11434/v1", False),
    ],
)
def test_an_address_is_written_in_one_way(given, url, local):
    found = address(given)
    assert (found.url, found.local, found.authorization) == (url, local, None)


def test_user_and_password_are_kept_out_of_sight():
    found = address("https://ada:pa%20ss@e.org/v1")
    assert found.url == "https://e.org/v1"
    assert found.authorization == "Basic YWRhOnBhIHNz"
    assert "pa" not in repr(found)
    assert {"pa ss", "pa%20ss", "YWRhOnBhIHNz"} == set(found.secrets)


@pytest.mark.parametrize(
    "wrong", ["localhost:8000", "ftp://e.org", "https://", "http://e.org:port/", "https://e.org/?key=SECRET"]
)
def test_what_is_no_address_is_an_input_error_that_quotes_nothing(wrong):
    with pytest.raises(InvalidInput, match="expected an address such as") as caught:
        address(wrong)
    assert "SECRET" not in str(caught.value)


def test_keys_are_taken_out_of_a_text():
    assert plain("key=abc, sk-proj-1234567 and sk-ab***yz", ["abc"]) == "key=[key], [key] and [key]"
