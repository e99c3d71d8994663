"""What a page reads once, and what others read anew each time."""

from __future__ import annotations

from sqlmodel import Session

from pbem.once import keep, once


def test_a_session_that_keeps_reads_the_same_thing_but_once():
    session, asked = Session(), []
    keep(session)
    answers = [once(session, ("talk", 1), lambda: asked.append(1) or len(asked)) for _ in range(3)]
    assert (answers, len(asked)) == ([1, 1, 1], 1)


def test_other_things_are_read_for_themselves():
    session = Session()
    keep(session)
    assert [once(session, ("talk", seat), lambda seat=seat: seat) for seat in (1, 2)] == [1, 2]


def test_one_session_knows_nothing_of_what_another_has_read():
    first, second = Session(), Session()
    keep(first)
    keep(second)
    assert once(first, "talk", lambda: "Ana's") == "Ana's"
    assert once(second, "talk", lambda: "Bento's") == "Bento's"


def test_a_session_that_writes_reads_anew_each_time():
    session, asked = Session(), []
    answers = [once(session, "talk", lambda: asked.append(1) or len(asked)) for _ in range(2)]
    assert answers == [1, 2]
