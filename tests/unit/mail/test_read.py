"""What a letter says: the kept ones, the limits, whom it is for and who wrote it."""

from __future__ import annotations

import pytest

from pbem.mail.incoming.parse.reading import Addressed, Mail, Ours, Report, Robot, Unreadable
from tests.support.letters_read import (
    ANA,
    LETTERS,
    MIXED,
    TO,
    TOKEN,
    authentic,
    kept,
    letter,
    lines,
    refused,
)

# ---- the kept letters ---------------------------------------------------------------------------

INDEX = [line.split("\t") for line in (LETTERS / "INDEX.tsv").read_text().splitlines()[1:]]


def test_every_kept_letter_is_in_the_index() -> None:
    assert {path.name for path in LETTERS.glob("*.eml")} == {row[0] for row in INDEX}


@pytest.mark.parametrize("row", [row for row in INDEX if row[1].startswith("accept")],
                         ids=lambda row: row[0].removesuffix(".eml"))  # fmt: skip
def test_a_kept_letter_to_accept_gives_its_command_alone(row: list[str]) -> None:
    found = kept(row[0].removesuffix(".eml"))
    assert isinstance(found, Mail)
    assert [line.lower() for line in found.lines] == [row[2]]
    assert (found.to, found.sender, found.authentic, found.doubts) == (
        Addressed("turn", TOKEN), "player.one@mail.example", "pass", (),
    )  # fmt: skip


def test_a_quoted_command_is_never_run() -> None:
    found = kept("reject_empty_reply_only_quoted_old_command")
    assert isinstance(found, Mail)
    assert found.lines == ()


def test_somebody_away_is_a_robot() -> None:
    found = kept("ignore_out_of_office_auto_replied")
    assert found == Robot("auto_submitted", Addressed("turn", TOKEN))


def test_an_address_that_does_not_exist_is_a_hard_bounce() -> None:
    found = kept("bounce_hard_5_1_1_dsn")
    assert found == Report("hard", "5.1.1", "550 5.1.1 no such user", Addressed("bounce", TOKEN))


def test_a_late_letter_is_no_failure() -> None:
    found = kept("bounce_delayed_4_4_7_dsn_is_not_failure")
    assert isinstance(found, Report)
    assert (found.what, found.status) == ("delayed", "4.4.7")


def test_a_second_delivery_has_the_id_of_the_first() -> None:
    found = kept("duplicate_redelivered_same_message_id")
    first = kept("valid_gmail_en_pass_wrapped_attribution")
    assert isinstance(found, Mail)
    assert isinstance(first, Mail)
    assert (found.message_id, found.lines) == (first.message_id, first.lines)


def test_an_older_token_is_told_as_it_is() -> None:
    found = kept("reject_stale_token_previous_turn")
    assert found.to == Addressed("turn", "p4n8r2s6y3j7g5k9m2q4t6v8x3")


def test_a_letter_without_an_id_has_none() -> None:
    found = kept("accept_missing_message_id_dedupe_by_digest")
    assert isinstance(found, Mail)
    assert found.message_id is None


def test_another_sender_is_told() -> None:
    found = kept("quarantine_forwarded_token_other_sender")
    assert isinstance(found, Mail)
    assert (found.sender, found.authentic) == ("someone@other.example", "pass")


def test_results_that_came_with_the_letter_are_not_believed() -> None:
    found = kept("reject_forged_authentication_results")
    assert isinstance(found, Mail)
    assert found.authentic == "fail"


def test_parts_within_parts_within_parts_are_not_read() -> None:
    found = kept("reject_mime_nesting_150_levels")
    assert isinstance(found, Unreadable)
    assert (found.reason, found.most) == ("too_deep", 20)
    assert (found.to, found.sender) == (Addressed("turn", TOKEN), "player.one@mail.example")


# ---- limits -------------------------------------------------------------------------------------

def test_a_letter_past_the_size_is_not_read() -> None:
    assert refused(letter("a\n" * 550_000)) == ("too_large", 1_048_576)


def test_a_letter_with_a_quoted_picture_of_half_a_megabyte_is_read() -> None:
    head = "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n"
    picture = head + "iVBORw0KGgo=\n" * 40_000
    assert lines(f"--x\n\nbid 5\n--x\n{picture}--x--\n", kind=MIXED) == ("bid 5",)


def test_a_letter_of_parts_without_end_is_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def taken_apart(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("pbem.mail.incoming.parse.mime.part_of", taken_apart)
    assert refused(letter("--x\n\n" * 250_000, kind=MIXED)) == ("too_large", 1_048_576)
    assert refused(letter("--x\n\n" * 40_000, kind=MIXED)) == ("too_many_parts", 50)


def test_fifty_parts_are_read_and_one_more_is_not() -> None:
    part = "--x\n\npass\n"
    assert lines(part * 50 + "--x--", kind=MIXED) == ("pass",)
    assert refused(letter(part * 51 + "--x--", kind=MIXED)) == ("too_many_parts", 50)


def test_parts_of_parts_are_counted_together() -> None:
    inner = 'Content-Type: multipart/mixed; boundary="y"\n\n' + "--y\n\n\n" * 30 + "--y--\n"
    assert refused(letter(f"--x\n{inner}--x\n{inner}--x--", kind=MIXED))[0] == "too_many_parts"


def test_a_header_past_its_length_is_not_parsed() -> None:
    assert refused(letter(To='"a, b" <a@b.example>, ' * 500)) == ("header_too_long", 8_192)


def test_a_header_folded_over_many_lines_is_as_long_as_all_of_them() -> None:
    assert refused(letter(To="\r\n ".join(["a@b.example,"] * 800)))[0] == "header_too_long"


def test_headers_without_end_are_not_parsed() -> None:
    many = {f"X_{number}": "a" * 1_000 for number in range(80)}
    assert refused(letter(**many)) == ("headers_too_large", 65_536)  # type: ignore[arg-type]


def test_twenty_lines_are_read_and_one_more_is_not() -> None:
    assert len(lines("pass\n" * 20)) == 20
    assert refused(letter("pass\n" * 21)) == ("too_many_lines", 20)


def test_a_line_has_two_hundred_characters_at_most() -> None:
    assert lines("é" * 200) == ("é" * 200,)
    assert refused(letter("é" * 201)) == ("line_too_long", 200)


@pytest.mark.parametrize("word", ["chat", "üzenet", "сообщение", "Mensagem"])
def test_who_chats_may_go_on_in_every_language(word: str) -> None:
    talk = f"pass; {word} {'hello; ' * 40}".strip()
    assert lines(f"{talk}\n{'and so on ' * 25}") == (talk, ("and so on " * 25).strip())


def test_a_long_quote_is_no_long_line() -> None:
    assert lines(f"pass\n\n> {'a' * 1000}\n") == ("pass",)


@pytest.mark.parametrize("unit", [
    "<", "<a ", "<!--", "<![", "<?", "</", "<div>", "<a b='", '<a b="', "<script>", "&#", "&",
    "<blockquote>", "<plaintext>", "<p", "p{",
])  # fmt: skip
def test_html_that_never_closes_is_read_to_its_end(unit: str) -> None:
    assert isinstance(letter(unit * 5_000, kind="text/html"), Mail | Unreadable)


def test_a_character_with_endless_digits_does_no_harm() -> None:
    assert lines(f"pass&#{'9' * 5_000};", kind="text/html") == ("pass ;",)


# ---- whom it is for -----------------------------------------------------------------------------


@pytest.mark.parametrize("header", [
    "Delivered_To", "X_Original_To", "X_Gm_Original_To", "Envelope_To", "To", "Cc",
])  # fmt: skip
def test_the_address_is_found_in_this_header(header: str) -> None:
    found = letter(to="box@mail.example", **{header: f"Carreira <{TO.upper()}>"})  # type: ignore[arg-type]
    assert found.to == Addressed("turn", TOKEN)


def test_the_envelope_counts_before_any_header() -> None:
    found = letter(to="words+abc@reply.play.example", Delivered_To=TO)
    assert found.to == Addressed("words", "abc")


def test_what_a_server_noted_counts_before_what_the_writer_chose() -> None:
    found = letter(to="", To="turn+other@reply.play.example", Delivered_To=TO)
    assert found.to == Addressed("turn", TOKEN)


@pytest.mark.parametrize("address", [
    "turn+abc@play.example", "turn+abc@reply.play.example.evil.example",
    "other+abc@reply.play.example",
    "return+abc@reply.play.example", "turn+@reply.play.example", "turn@reply.play.example",
])  # fmt: skip
def test_any_other_address_is_none_of_ours(address: str) -> None:
    assert letter(to=address).to is None


# ---- who wrote it -------------------------------------------------------------------------------


@pytest.mark.parametrize(("written", "sender"), [
    ("Ana@Players.Example", "ana@players.example"),
    ('"Silva, Ana" <ana@players.example>', ANA),
    ("=?utf-8?q?An=C3=A1?= <ana@players.example>", ANA),
    ("Ana (at home) <ana@players.example>", ANA),
    ('"eve@evil.example" <ana@players.example>', ANA),
    ("Ana <ana@játék.example>", "ana@xn--jtk-ela5b.example"),
    ("ana@players.example, eve@evil.example", None),
    ("eve@evil.example <ana@players.example>", None),
    ("<ana@players.example> <eve@evil.example>", None),
    ("Team: ana@players.example;", None),
    ("ana@players.example\r\nFrom: eve@evil.example", None),
    ('"Ana (home)" <ana@players.example>', ANA),
    ("Ana (at (my) home) <ana@players.example>", ANA),
    ('(") eve@evil.example (") ana@players.example', None),
    ("Ana (at home <ana@players.example>", None),
    ("ana@players.example <ana@players.example>", ANA),
    ("Ana, Player <ana@players.example>", ANA),
    ("Re: Ana [club]; Goa <ana@players.example>", ANA),
    ("ana@players.example (Ana)", ANA),
    ("=?utf-8?q?Ana=2C_P=C3=A1l?= <ana@players.example>", ANA),
    ("eve@evil.example <ana@players.example>", None),
    ("eve@evil.example, Ana <ana@players.example>", None),
    ("Ana <ana@players.example>, eve", None),
    ("@evil.example <ana@players.example>", None),
    ("Ana", None),
    ("", None),
])  # fmt: skip
def test_the_sender_is_the_one_address_in_from(written: str, sender: str | None) -> None:
    found = letter(From=written)
    assert isinstance(found, Mail)
    assert found.sender == sender
    assert ("several_senders" in found.doubts) == (sender is None)


@pytest.mark.parametrize(("results", "outcome"), [
    ("mx.play.example; dmarc=pass header.from=players.example", "pass"),
    ("MX.Play.Example 1; dkim=pass (2048 bits; ok) header.d=players.example", "pass"),
    ("mx.play.example; dkim=pass header.d=mail.players.example", "pass"),
    ("mx.play.example; dkim=fail header.d=a.example; dkim=pass header.i=@players.example", "pass"),
    ("mx.play.example; spf=pass smtp.mailfrom=ana@players.example", "pass"),
    ("mx.play.example; dmarc=fail header.from=players.example", "fail"),
    ("mx.play.example; dmarc=fail; dkim=pass header.d=players.example", "fail"),
    ("mx.play.example; spf=softfail smtp.mailfrom=players.example", "fail"),
    ("mx.play.example; dkim=pass header.d=evil.example", "unknown"),
    ("mx.play.example; spf=pass smtp.helo=players.example", "unknown"),
    ("mx.play.example; spf=pass smtp.mailfrom=bounce@evil.example", "unknown"),
    ('mx.play.example; spf=pass smtp.mailfrom="ana"@players.example', "pass"),
    ('mx.play.example; spf=pass smtp.mailfrom="ana@players.example"@evil.example', "unknown"),
    ('mx.play.example; spf=pass smtp.mailfrom="\\"@players.example"@evil.example', "unknown"),
    ('mx.play.example; dkim=pass header.i="ana@players.example"@evil.example', "unknown"),
    ("mx.play.example; spf=pass smtp.mailfrom=evil.example smtp.mailfrom=players.example",
     "unknown"),
    ("mx.play.example; dmarc=pass header.from=evil.example header.from=players.example",
     "unknown"),
    ("mx.play.example; dkim=pass header.d=example", "unknown"),
    ("mx.play.example; dkim=pass header.d=otherplayers.example", "unknown"),
    ("mx.play.example; dmarc=pass header.from=evil.example", "unknown"),
    ('mx.play.example; spf=none reason="; dmarc=pass"', "unknown"),
    ("mx.play.example; spf=none (; dmarc=pass header.from=players.example;)", "unknown"),
    ('mx.play.example; spf=none (of "("@evil.example) smtp.mailfrom="("@evil.example; dkim=pass '
     'header.i=")\\"; dkim=pass header.d=players.example"@evil.example', "unknown"),
    ('mx.play.example; spf=none (of "); dkim=pass header.d=players.example; x=("@evil.example)',
     "unknown"),
    ("mx.play.example; dmarc=pass (p=none header.from=players.example", "unknown"),
    ("mx.play.example; spf=pass (of \"a b\"@players.example) smtp.mailfrom=players.example",
     "pass"),
    ("mx.play.example; none", "unknown"),
    ("mx.evil.example; dmarc=pass header.from=players.example", "unknown"),
    ("mx.play.example.evil.example; dmarc=pass header.from=players.example", "unknown"),
    ("", "unknown"),
])  # fmt: skip
def test_what_our_server_found_out_means(results: str, outcome: str) -> None:
    assert authentic(results) == outcome


def test_a_lower_header_of_our_own_name_does_not_count() -> None:
    both = (
        "mx.other.example; none\r\nAuthentication-Results: mx.play.example; dmarc=pass"
    )
    assert authentic(both) == "unknown"


def test_what_each_program_of_our_server_found_out_counts() -> None:
    assert authentic(
        "mx.play.example; dmarc=none header.from=players.example\r\n"
        "DKIM-Filter: OpenDKIM v2\r\n"
        "Authentication-Results: mx.play.example; dkim=pass header.d=players.example"
    ) == "pass"  # fmt: skip


@pytest.mark.parametrize("between", [
    "Received: from home.example by mx.play.example", "X-Mailer: M",
    "Authentication-Results: mx.other.example; none",
])  # fmt: skip
def test_results_below_what_came_with_the_letter_do_not_count(between: str) -> None:
    forged = "Authentication-Results: mx.play.example; dmarc=pass header.from=players.example"
    assert authentic(f"mx.play.example; dmarc=none\r\n{between}\r\n{forged}") == "unknown"


def test_without_a_server_of_ours_nobody_is_believed() -> None:
    found = letter(
        ours=Ours("reply.play.example", "play.example"),
        Authentication_Results="mx.play.example; dmarc=pass header.from=players.example",
    )
    assert isinstance(found, Mail)
    assert found.authentic == "unknown"
