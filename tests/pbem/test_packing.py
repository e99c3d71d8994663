"""Stored JSON is small, and stays readable for ever."""

from __future__ import annotations

import hashlib

from pbem.packing import DICTIONARIES, NEWEST, dictionary, packed, unpacked

BODY = (
    b'{"move":{"type":"GiveUp"},"events":[{"type":"ActionGivenUp","seat":0,"number":17,'
    b'"area":"navigation","reals":4}]}'
)
# Only ever added to: what was packed with a dictionary can be read with that one alone.
DIGESTS = {1: "241740e98b505ef63fdc38d94cb9b4ae1f041e1737f4d8a6fe0fa1aaa5d3c4c8"}


def test_a_dictionary_never_changes() -> None:
    found = {
        int(path.stem): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in DICTIONARIES.iterdir()
    }

    assert found == DIGESTS


def test_what_is_packed_names_its_dictionary_and_comes_back_as_it_was() -> None:
    stored = packed(BODY)

    assert stored[0] == NEWEST
    assert unpacked(stored) == BODY


def test_an_entry_takes_less_than_half_of_its_json() -> None:
    assert len(packed(BODY)) < len(BODY) / 2


def test_what_is_in_no_dictionary_comes_back_as_well() -> None:
    assert unpacked(packed(b"")) == b""
    assert unpacked(packed("Ő и ç".encode())) == "Ő и ç".encode()


def test_every_dictionary_is_there() -> None:
    assert all(dictionary(number) for number in range(1, NEWEST + 1))
