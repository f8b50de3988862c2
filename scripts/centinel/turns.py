"""Whether a source's acquire is due: a parameter that moves when it is."""

from datetime import datetime

from centinel.files import read_json
from centinel.journal import now
from centinel.record import Json, is_ahead, moment
from centinel.store import Store


def turn_of(state: Json | None, at: datetime) -> int:
    """Returns the `turn` parameter of the next acquire, from the state file of the last.

    One more than the last where something has become due since, or the clock was set back.
    """
    if not state:
        return 0
    due = state.get("next_due")
    is_due = due is not None and at >= moment(due)
    is_due |= is_ahead(state.get("written_at"), at)
    return int(state.get("turn", 0)) + (1 if is_due else 0)


def read_turn(store: Store) -> int:
    """Returns the `turn` parameter of a source's next acquire."""
    return turn_of(read_json(store.acquire_state), now())
