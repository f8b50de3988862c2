"""Short ways that most addresses go give what the long way would."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from centinel import addresses
from centinel.addresses import canonical
from tests.unit.support import PROPERTY

BASE = "https://town.example/council/minutes.html?year=2026"


@settings(PROPERTY, max_examples=1000)
@given(
    st.from_regex(addresses._CANONICAL, fullmatch=True),
    st.sampled_from([None, BASE, "http://other.example:8080/x?y"]),
)
@example("https://town.example/?sid=a1b2c3d4e5", None)
@example("https://town.example/a?cfid", None)
@example("https://1.town.example/-./~..?=&&=", BASE)
def test_what_is_taken_for_canonical_at_one_look_is_canonical(
    address: str, base: str | None
) -> None:
    assert canonical(address, base) == addresses._form(address, base, keeps_session=False)


@PROPERTY
@given(st.text("ab/.!?#%41é \t[]:@;~\\", max_size=20), st.sampled_from(["/", "", "//", "/x/"]))
@example("a.pdf?x=!/b.csv", "/")
@example("a!/b.pdf", "/")
@example("", "")
def test_the_short_way_to_a_file_name_gives_the_same(text: str, slash: str) -> None:
    address = f"https://town.example{slash}{text}"
    with pytest.MonkeyPatch.context() as patch:
        found = _file_name_or_error(address)
        patch.setattr(addresses, "_PLAIN", re.compile("(?!)"))
        assert found == _file_name_or_error(address)


def _file_name_or_error(address: str) -> str | None:
    try:
        return addresses.file_name(address)
    except ValueError:
        return None
