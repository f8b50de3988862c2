"""Parts of a recording whose blobs were lost are asked for again, each by its own request."""

from centinel.store import Store
from tests.unit.channel.recordings import (
    JSON3,
    Vendor,
    acquired,
    channel,
    enumerated,
    playlist,
    track_of,
    video,
    watch,
)
from tests.unit.support import Clock, sha256
from tests.unit.verifying import verified

LIST = "https://www.youtube.com/playlist?list=PL1"


def test_lost_captions_come_back_and_the_metadata_is_left_alone(
    vendor: Vendor, store: Store
) -> None:
    entry = {"_type": "url", "ie_key": "Youtube", "id": video(1)["id"]}
    vendor.says(LIST, json=playlist(entry))
    enumerated(store, channel(LIST))
    vendor.says(watch(1), json=video(1))
    vendor.says(track_of(1), body=JSON3)
    clock = Clock()
    acquired(store, channel(LIST), clock)
    captions = sha256(JSON3.encode())
    store.blob(captions).unlink()
    assert [each["artifact"] for each in verified(store, clock).lost] == [watch(1) + "#captions"]
    loop, state = acquired(store, channel(LIST), clock)
    assert store.has_blob(captions)
    assert (loop.counts["asked"], state["remaining"]) == (1, 0)
    assert verified(store, clock).lost == []
