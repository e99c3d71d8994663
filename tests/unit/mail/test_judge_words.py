"""Words that a letter says to the service, alone and beside orders."""

from __future__ import annotations

import tomllib
from datetime import timedelta

import pytest
from sqlmodel import select

from engine.notation import normalised, plain
from pbem.i18n import words
from pbem.mail.incoming.commands import FILE, IN_GAMES, Word, names_of, spoken
from pbem.mail.letters.receipts import wrong
from pbem.models import (
    Chat,
    InboundState,
    Outbox,
    Person,
    StandingOrder,
    StandingState,
    Vacation,
    stored_id,
)
from pbem.service import Service
from pbem.tables import seats, vacation
from tests.support.answering import Answers, at_table, bidding, placing
from tests.support.letterfactory import person, running_game, text_of

ORDER = "place 8 recruiting"
GAMES = ("vasco-da-gama", "goa")


@pytest.fixture
def table(service: Service) -> Answers:
    return at_table(service, placing)


def said(*lines: str, language: str = "en") -> tuple[tuple[str, ...], tuple[Word, ...]]:
    """Orders and words of a letter."""
    found = spoken(lines, language, lambda line: False)
    return found.orders, found.words


def texts(table: Answers, body: str) -> list[str]:
    """What is answered to the words of a letter."""
    came = table.says(table.letter(), body)
    return [each.text for each in table.told(came).words]


# ---- reading ------------------------------------------------------------------------------------


def test_words_and_orders_stand_in_any_order_and_in_one_line() -> None:
    assert said("status; bid 6", "pass") == (("bid 6", "pass"), (Word("status"),))


def test_a_chat_takes_the_rest_of_its_paragraph_semicolons_and_orders_too() -> None:
    orders, found = said("bid 6; chat Well; let us see", "pass is what I would do")
    assert orders == ("bid 6",)
    assert found == (Word("chat", text="Well; let us see\npass is what I would do"),)


def test_a_line_that_a_mail_program_has_broken_behind_a_comma_or_colon_is_one_order() -> None:
    orders, _ = said("pass; launch I-03: turquoise,", "grey; send malindi:", "I-03>7a,", "I-04>6")
    assert orders == ("pass", "launch I-03: turquoise, grey", "send malindi: I-03>7a, I-04>6")


def test_a_last_line_that_goes_on_stays_an_order_and_a_word_never_goes_on() -> None:
    assert said("status,", "bid 6,") == (("bid 6,",), (Word("status"),))


def test_a_name_below_a_greeting_is_a_name() -> None:
    found = spoken(["bid 6", "Thanks,", "Ana"], "en", lambda line: line.startswith("Thanks"))
    assert (found.orders, found.signed) == (("bid 6",), "Thanks, Ana")


@pytest.mark.parametrize("line", [
    "*bid 5*", "_bid 5_", "**bid 5**", "***bid 5***", "`bid 5`", "“bid 5”", '"bid 5"', "„bid 5“",
    "«bid 5»", "»bid 5«", "'bid 5'", "- bid 5", "• bid 5", "- *bid 5*", "[bid 5]",
])  # fmt: skip
def test_marks_around_a_line_say_nothing(line: str) -> None:
    assert said(line) == (("bid 5",), ())
    assert said(f"{line}; {line}") == (("bid 5", "bid 5"), ())


@pytest.mark.parametrize("line", [
    "status?", "Status ?", "“status”", "*status*", "status!", "status…", "status.", "_status?_",
])  # fmt: skip
def test_marks_around_and_behind_a_word_say_nothing(line: str) -> None:
    assert said(line) == ((), (Word("status"),))


def test_several_lines_below_the_orders_that_begin_with_no_verb_are_a_signature() -> None:
    lines = ["bid 6", "Thanks!", "Ana Tester", "+351 21 000 00 00"]
    found = spoken(lines, "en", lambda line: not line.startswith("bid"))
    assert (found.orders, found.signed) == (("bid 6",), "Thanks! Ana Tester +351 21 000 00 00")


def test_a_line_that_nobody_reads_above_an_order_is_no_signature() -> None:
    found = spoken(["bid 6", "Thanks!", "bid 7"], "en", lambda line: not line.startswith("bid"))
    assert (found.orders, found.signed) == (("bid 6", "Thanks!", "bid 7"), None)


LONG = "bid " + "0" * 60


@pytest.mark.parametrize("pieces", [["for lot 4"], ["for the lot " + "0" * 60, "of four"]])
def test_a_long_line_that_was_broken_anywhere_is_made_whole_if_it_reads_so(
    pieces: list[str],
) -> None:
    whole = " ".join([LONG, *pieces])
    found = spoken([LONG, *pieces], "en", lambda line: not line.startswith("bid"),
                   is_order=lambda line: line == whole)  # fmt: skip
    assert found.orders == (whole,)


@pytest.mark.parametrize(("above", "below"), [(LONG, "Ana"), (LONG, "bid 7"), ("bid 6", "lot 4")])
def test_a_line_below_that_is_no_piece_of_it_stays_apart(above: str, below: str) -> None:
    found = spoken([above, below], "en", lambda line: not line.startswith("bid"),
                   is_order=lambda line: line.endswith(("4", "7")))  # fmt: skip
    assert found.orders[0] == above


@pytest.mark.parametrize(
    "line",
    ["vacation", "vacation for ever", "vacation 2000 days", "help me", "resign maybe", "chat"],
)
def test_a_word_with_more_or_less_than_it_takes_is_not_guessed(line: str) -> None:
    assert spoken([line], "en", lambda _: False).garbled == line


@pytest.mark.parametrize(
    ("language", "line", "word"),
    [
        ("hu", "Állás", Word("status")),
        ("hu", "szabadság 5 nap", Word("vacation", number=5)),
        ("ru", "Отпуск 5 дней.", Word("vacation", number=5)),
        ("ru", "сдаюсь да", Word("resign", confirmed=True)),
        ("pt", "ferias 5 dias", Word("vacation", number=5)),
        ("pt", "help", Word("help")),
    ],
)
def test_words_are_understood_in_four_languages(language: str, line: str, word: Word) -> None:
    assert said(line, language=language) == ((), (word,))


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_no_word_is_an_order_of_a_game_under_another_name(game: str, language: str) -> None:
    orders = {plain(normalised(alias)) for alias in words.aliases(game, language)}
    mine = {name for name, word in names_of(language).items() if word in IN_GAMES}
    assert not orders & mine


def test_no_name_of_a_word_means_two_things() -> None:
    for table in tomllib.loads(FILE.read_text("utf-8")).values():
        names = [plain(normalised(name)) for aliases in table.values() for name in aliases]
        assert len(names) == len(set(names))


# ---- answers ------------------------------------------------------------------------------------


def test_status_tells_what_is_asked_and_what_one_holds(table: Answers) -> None:
    [text] = texts(table, "status")
    assert "WHAT YOU HOLD" in text
    assert max(map(len, text.splitlines())) <= 72


def test_log_tells_the_newest_entries_in_words(table: Answers) -> None:
    [text] = texts(table, "log")
    assert f"{table.game().last_entry:>4}  " in text


def test_orders_lists_what_would_be_accepted(table: Answers) -> None:
    [text] = texts(table, "orders")
    assert ORDER in text.splitlines()


def test_help_names_the_rules_of_the_game(table: Answers) -> None:
    [text] = texts(table, "help")
    assert "/rules/vasco-da-gama" in text


def test_a_chat_is_said_to_the_table_once(table: Answers) -> None:
    letter = table.letter()
    for _ in range(2):
        table.says(letter, "chat Good luck; all of you\n\nnot this", Message_ID="<c@p.example>")
    with table.service.reading() as session:
        assert [each.text for each in session.exec(select(Chat))] == ["Good luck; all of you"]


def test_words_beside_an_order_are_answered_in_its_receipt(table: Answers) -> None:
    came = table.says(table.letter(), "chat Hello")
    assert came.state == InboundState.PLAYED
    both = table.says(table.letter(), f"help; {ORDER}")
    assert table.all("receipt")[-1].about_id == came.id
    table.advance()
    assert table.all("receipt")[-1].about_id == both.id
    assert [each.word for each in table.told(both).words] == ["help"]


NOT_DONE = "Not done, like all else in this letter."


@pytest.mark.parametrize("line", ["plaise 9 recruiting", "place 22 recruiting"])
@pytest.mark.parametrize("word", ["undo", "vacation 5", "withdraw 1", "chat Oh dear"])
def test_a_letter_whose_orders_are_refused_does_nothing_that_its_words_say(
    table: Answers, line: str, word: str
) -> None:
    letter = table.letter()
    table.says(letter, f"{ORDER}\nlater: place 7 projects")
    table.advance()
    entry = table.game().last_entry

    came = table.says(letter, f"{line}\n{word}")

    assert came.state == InboundState.REFUSED
    assert [each.text for each in table.told(came).words] == [NOT_DONE]
    assert table.game().last_entry == entry
    with table.service.reading() as session:
        assert list(session.exec(select(Chat))) == list(session.exec(select(Vacation))) == []
        standing = [each.state for each in session.exec(select(StandingOrder))]
    assert standing == [StandingState.STANDING]


def test_words_that_ask_are_answered_where_the_orders_are_refused(table: Answers) -> None:
    came = table.says(table.letter(), "place 22 recruiting; log")
    assert came.state == InboundState.REFUSED
    assert [each.word for each in table.told(came).words] == ["log"]
    assert NOT_DONE not in table.told(came).words[0].text


def test_where_nothing_can_be_taken_back_nothing_else_is_done(table: Answers) -> None:
    came = table.says(table.letter(), "undo; vacation 5; chat Oh dear")
    assert (came.state, came.reason) == (InboundState.REFUSED, "nothing_to_take_back")
    assert [each.text for each in table.told(came).words][1:] == [NOT_DONE, NOT_DONE]
    with table.service.reading() as session:
        assert list(session.exec(select(Chat))) == list(session.exec(select(Vacation))) == []


def test_a_vacation_is_announced_and_its_end_told(table: Answers) -> None:
    [text] = texts(table, "vacation 5 days")
    assert "7" in text
    ana = table.person("Ana")
    with table.service.reading() as session:
        assert vacation.away_until(session, ana, table.service.clock.now()) is not None


def test_resigning_asks_back_and_is_done_when_confirmed(table: Answers) -> None:
    assert "resign yes" in texts(table, "resign")[0]
    assert table.seat().resigned is None
    came = table.says(table.letter(), "resign yes")
    assert came.state == InboundState.PLAYED
    assert table.seat().resigned is not None
    assert len(table.all("receipt")) == 2


@pytest.mark.parametrize(("cause", "subject", "told"), [
    ("resign", "A player has resigned", "Ana has resigned"),
    ("handover", "A player has given a seat away", "Ana has given this seat away"),
])
def test_the_others_hear_by_letter_of_who_leaves_and_who_left_does_not(
    table: Answers, cause: str, subject: str, told: str
) -> None:
    with table.service.writing() as session:
        seats.leave(session, table.game_id, stored_id(table.person("Ana")),
                    table.service.clock.now(), cause=cause)
        session.commit()
    others = [table.seat(number) for number in range(1, 4) if table.seat(number).resigned is None]
    assert {each.person_id for each in table.all("dropped")} == {one.person_id for one in others}
    table.service.clock.forward(timedelta(minutes=5))  # type: ignore[attr-defined]
    letters = [each for each in table.sent().letters if ".dropped." in str(each["Message-ID"])]
    assert letters
    for each in letters:
        assert each["Subject"].startswith(f"[Carreira 1] {subject} – Vasco da Gama")
        assert told in text_of(each)


def test_resigning_stands_alone(table: Answers) -> None:
    came = table.says(table.letter(), f"{ORDER}; resign yes")
    assert (came.state, came.reason) == (InboundState.REFUSED, "resign_alone")
    assert table.seat().resigned is None


def test_undo_takes_the_last_orders_back_and_new_ones_may_follow(table: Answers) -> None:
    letter = table.letter()
    table.says(letter, ORDER)
    table.advance()
    came = table.says(letter, "undo\nplace 9 projects")
    assert came.state == InboundState.PLAYED
    table.advance()
    assert [sent.state for sent in table.submissions()] == ["played", "played"]
    assert [each.word for each in table.told(came).words] == ["undo"]


def test_who_takes_back_what_an_order_ahead_has_played_is_told_that_it_is_not_given_again(
    table: Answers,
) -> None:
    letter = table.letter()
    table.says(letter, ORDER)
    table.advance()
    with table.service.writing() as session:
        session.add(StandingOrder(
            game_id=table.game_id, seat=0, person_id=table.seat().person_id, line=ORDER,
            state=StandingState.USED, given=1, created=table.service.clock.now(),
            entry=table.game().last_entry))
        session.commit()

    came = table.says(letter, "undo")

    [word] = table.told(came).words
    assert word.text.endswith(f"Used in it, and not given again: {ORDER}")


def test_orders_behind_an_undo_that_failed_are_not_played(table: Answers) -> None:
    came = table.says(table.letter(), f"undo\n{ORDER}")
    assert (came.state, came.reason) == (InboundState.REFUSED, "nothing_to_take_back")
    assert table.submissions() == []
    assert table.told(came).draft == [ORDER]


def test_a_receipt_of_orders_behind_an_undo_that_failed_says_that_they_were_not_played(
    table: Answers,
) -> None:
    table.says(table.letter(), f"undo\n{ORDER}")
    said_to = [text_of(each) for each in table.sent().letters if "Re:" in each["Subject"]]
    assert [each.splitlines()[0] for each in said_to] == ["Nothing of your letter was played."]


def told_of_several(table: Answers) -> Outbox:
    """A turn letter that names another game of its reader as well."""
    letter = table.letter()
    with table.service.writing() as session:
        others = [person(session, name) for name in ("Yara", "Zoe")]
        second = running_game(session, others, letter.created)
        other = Outbox(
            person_id=letter.person_id, kind="turn", game_id=second.id, entry=1,
            dedup_key="other", state="merged",
            merged_into=letter.id, not_before=letter.created, created=letter.created,
        )  # fmt: skip
        session.add(other)
        session.commit()
    return letter


def test_a_word_about_one_game_to_a_letter_about_several_asks_which(table: Answers) -> None:
    came = table.says(told_of_several(table), "undo; status", purpose="words")
    assert (came.state, came.reason) == (InboundState.REFUSED, "which_game")
    which, status = [each.text for each in table.told(came).words]
    assert "one game" in which
    assert status.startswith("Vasco da Gama")
    assert came.game_id is None


@pytest.mark.parametrize("word", ["undo", "chat Back on Monday", "withdraw 1", "resign"])
def test_where_a_word_about_one_game_names_none_nothing_else_of_the_letter_is_done(
    table: Answers, word: str
) -> None:
    came = table.says(told_of_several(table), f"vacation 5\n{word}", purpose="words")

    assert (came.state, came.reason) == (InboundState.REFUSED, "which_game")
    away, which = [each.text for each in table.told(came).words]
    assert away == "Not done, like all else in this letter."
    assert "one game" in which
    with table.service.reading() as session:
        assert session.exec(select(Vacation)).all() == []


def test_who_answers_a_letter_about_several_games_with_orders_is_told_where_they_go(
    table: Answers
) -> None:
    came = table.says(told_of_several(table), ORDER, purpose="words")
    assert (came.state, came.reason) == (InboundState.REFUSED, "which_game")
    assert "send orders to the address that stands in it" in wrong(table.told(came), "en")


def test_answers_are_in_the_readers_language(table: Answers) -> None:
    english = texts(table, "orders; help")[1]
    table.change(Person, table.person("Ana").id, language="hu")
    assert texts(table, "lépések; súgó")[1] != english


@pytest.mark.parametrize("language", ["en", "hu", "ru", "pt"])
def test_letters_name_words_that_are_read_in_their_readers_language(language: str) -> None:
    asked = ["status", "log", "orders", "undo", "help", "chat"]
    named = words.gettext(", ".join(asked), language).split(", ")
    assert [names_of(language)[plain(normalised(each))] for each in named] == asked
    assert (named == asked) == (language == "en")


# ---- all of a letter, or nothing ----------------------------------------------------------------


def test_where_one_word_is_refused_nothing_else_of_the_letter_is_done(table: Answers) -> None:
    came = table.says(table.letter(), f"{ORDER}; vacation 99; chat Back in a month")
    assert (came.state, came.reason) == (InboundState.REFUSED, "vacation_days")
    assert table.submissions() == []
    with table.service.reading() as session:
        assert list(session.exec(select(Chat))) == []
    assert [each.text for each in table.told(came).words][1:] == [NOT_DONE]
    assert table.told(came).draft == [ORDER]


def test_a_word_is_not_done_where_a_worker_would_have_refused_the_orders_later(
    service: Service,
) -> None:
    table = at_table(service, bidding, game_key="goa")
    number = next(each for each in range(4) if table.seat(each).asked_since)
    name = table.seat(number).name
    letter, sender = table.letter(name=name), f"{name.lower()}@players.example"
    table.says(letter, "pass", sender=sender)

    came = table.says(letter, "bid 5; vacation 3", sender=sender)

    assert came.state == InboundState.REFUSED
    assert [each.text for each in table.told(came).words] == [NOT_DONE]
    with service.reading() as session:
        assert list(session.exec(select(Vacation))) == []
