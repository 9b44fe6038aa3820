"""Frames that are not commands: each gets a code and a sentence, none an exception of another kind."""

import json

import pytest
from django.core.management import call_command

from rooms.errors import SENTENCES, RoomError
from rooms.protocol import FRAME_LIMIT, Act, Ping, Ready, decode, frame_id

BAD = [
    (None, "not_text"),
    ("", "bad_json"),
    ("{", "bad_json"),
    ("\x00", "bad_json"),
    ("[]", "bad_frame"),
    ("null", "bad_frame"),
    ("{}", "bad_frame"),
    ('{"do":"win","id":"1"}', "bad_frame"),
    ('{"do":"ping"}', "bad_frame"),
    ('{"do":"ping","id":""}', "bad_frame"),
    ('{"do":"ping","id":1}', "bad_frame"),
    ('{"do":"ping","id":"1","seat":2}', "bad_frame"),
    ('{"do":"act","id":"1","ask":"3","action":{"do":"discard","tile":"5m","seat":2}}', "bad_frame"),
    ('{"do":"act","id":"1","ask":"3","action":{"do":"cheat"}}', "bad_frame"),
    ('{"do":"act","id":"1","ask":3,"action":{"do":"pass"}}', "bad_frame"),
    ('{"do":"act","id":"1","ask":"3"}', "bad_frame"),
    ('{"do":"act","id":"1","ask":"3","action":{"do":"fish","slot":9}}', "bad_frame"),
    ('{"do":"ready","id":"1","nonce":"xyz"}', "bad_frame"),
    ('{"do":"ready","id":"1","nonce":"abc"}', "bad_frame"),
    (json.dumps({"do": "ready", "id": "1", "nonce": "ab" * 33}), "bad_frame"),
    (json.dumps({"do": "say", "id": "1", "text": "字" * 201}), "bad_frame"),
    ('{"do":"say","id":"1","phrase":"rude"}', "bad_frame"),
    (json.dumps({"do": "ping", "id": "1" * FRAME_LIMIT}), "too_large"),
    (json.dumps({"do": "say", "id": "1", "text": "龍" * 2000}, ensure_ascii=False), "too_large"),
]


@pytest.mark.parametrize(("text", "code"), BAD)
def test_a_bad_frame_is_refused_with_its_code(text: str | None, code: str) -> None:
    with pytest.raises(RoomError) as refused:
        decode(text)
    assert refused.value.code == code
    assert refused.value.text("zh-hans")
    assert refused.value.text("en").isascii()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"do":"ping","id":"7"}', Ping),
        ('{"do":"ready","id":"7"}', Ready),
        ('{"do":"act","id":"7","ask":"3","action":{"do":"chow","tiles":"35m"}}', Act),
    ],
)
def test_a_good_frame_becomes_its_command(text: str, kind: type) -> None:
    command = decode(text)
    assert isinstance(command, kind)
    assert command.id == "7"
    assert frame_id(text) == "7"


@pytest.mark.parametrize("text", [None, "", "[1]", '{"id":5}', '{"id":"' + "x" * 41 + '"}'])
def test_a_frame_without_a_usable_id_has_none(text: str | None) -> None:
    assert frame_id(text) is None


def test_every_refusal_has_both_languages() -> None:
    values = {"detail": "d", "limit": 1, "value": "v", "code": "c", "name": "n", "allowed": "a"}
    values |= dict.fromkeys(("have", "need", "coins", "points", "seconds", "shortfall", "minutes"), 1)
    for code, (chinese, english) in SENTENCES.items():
        assert chinese.format(**values) != english.format(**values) or code in (
            "bad_option",
            "illegal",
            "ledger",
            "limit",
            "maintenance",
        )


def test_the_protocols_page_is_what_the_types_say() -> None:
    call_command("protocol", check=True)
