"""What a letter says: the kept ones, and each rule of reading by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.mail.read import read
from pbem.mail.reading import Addressed, Envelope, Mail, Ours, Reading, Report, Robot, Unreadable

LETTERS = Path(__file__).parent / "letters"
OURS = Ours("reply.play.example", "play.example", "mx.play.example")
TOKEN = "k7q2v9m4x3t8w5z6b2c7d4f3h9"
TO = f"turn+{TOKEN}@reply.play.example"
ANA = "ana@players.example"


def kept(name: str) -> Reading:
    """One of the kept letters, as its envelope was."""
    raw = (LETTERS / f"{name}.eml").read_bytes()
    sender = "" if b"Return-Path: <>" in raw else "player.one@mail.example"
    return read(raw, Envelope(sender, "", "pipe"), OURS)


def letter(
    body: str | bytes = "pass", *, kind: str = "text/plain; charset=utf-8", to: str = TO,
    sender: str = ANA, ours: Ours = OURS, **headers: str,
) -> Reading:  # fmt: skip
    """A letter with these headers (their names with _ for -)."""
    given = {"From": ANA, "Content-Type": kind}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
    content = body if isinstance(body, bytes) else body.encode()
    return read(f"{head}\r\n".encode() + content, Envelope(sender, to, "lmtp"), ours)


def lines(body: str | bytes, **others: str) -> tuple[str, ...]:
    """The lines that are read in such a letter."""
    found = letter(body, **others)  # type: ignore[arg-type]
    assert isinstance(found, Mail), found
    return found.lines


def authentic(results: str, sender: str = ANA) -> str:
    found = letter(From=sender, Authentication_Results=results)
    assert isinstance(found, Mail)
    return found.authentic


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

MIXED = 'multipart/mixed; boundary="x"'


def refused(found: Reading) -> tuple[str, int | None]:
    assert isinstance(found, Unreadable), found
    return found.reason, found.most


def test_a_letter_past_the_size_is_not_read() -> None:
    assert refused(letter("a\n" * 150_000)) == ("too_large", 262_144)


def test_a_letter_of_parts_without_end_is_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def taken_apart(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("pbem.mail.mime.part_of", taken_apart)
    assert refused(letter("--x\n\n" * 200_000, kind=MIXED)) == ("too_large", 262_144)
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


# ---- machines -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("headers", "reason"), [
    ({"Auto_Submitted": "auto-generated"}, "auto_submitted"),
    ({"Auto_Submitted": "auto-replied (vacation)"}, "auto_submitted"),
    ({"Precedence": "bulk"}, "precedence"),
    ({"Precedence": "AUTO_REPLY"}, "precedence"),
    ({"X_Autoreply": "yes"}, "autoreply"),
    ({"X_Autorespond": "Your turn"}, "autorespond"),
    ({"List_Id": "<club.players.example>"}, "list"),
    ({"Return_Path": "<>"}, "null_sender"),
    ({"From": "MAILER-DAEMON@mail.example"}, "daemon"),
    ({"From": "Shop <no-reply@shop.example>"}, "daemon"),
    ({"From": "Carreira <table@play.example>"}, "own_address"),
    ({"From": f"Somebody <{TO}>"}, "own_address"),
    ({"Message_ID": "<g42.turn.17.9f86d081@play.example>"}, "own_message"),
    ({"X_Loop": "play.example"}, "loop"),
])  # fmt: skip
def test_a_machine_is_known_by_this_header(headers: dict[str, str], reason: str) -> None:
    assert letter(**headers) == Robot(reason, Addressed("turn", TOKEN))  # type: ignore[arg-type]


def test_a_letter_from_no_sender_is_a_machine() -> None:
    assert letter(sender="") == Robot("null_sender", Addressed("turn", TOKEN))


@pytest.mark.parametrize("headers", [
    {"Auto_Submitted": "no"},
    {"X_Auto_Response_Suppress": "All"},
    {"Precedence": "normal"},
    {"From": "bob@play.example"},  # people may share our domain
    {"Message_ID": "<5f2a.1234@play.example>"},
])  # fmt: skip
def test_this_header_makes_no_machine(headers: dict[str, str]) -> None:
    found = letter(**headers)  # type: ignore[arg-type]
    assert isinstance(found, Mail)
    assert found.doubts == ()


@pytest.mark.parametrize("subject", [
    "Automatic reply: [Carreira 42] Your turn", "Automatikus válasz: Te következel",
    "=?utf-8?b?0JDQstGC0L7QvtGC0LLQtdGC?=: x", "Resposta =?iso-8859-1?q?autom=E1tica?=: x",
    "Out of Office: away",
])  # fmt: skip
def test_an_automatic_subject_is_only_a_doubt(subject: str) -> None:
    found = letter(Subject=subject)
    assert isinstance(found, Mail)
    assert found.doubts == ("looks_automatic",)


def test_an_answer_to_an_automatic_subject_is_no_doubt() -> None:
    found = letter(Subject="Re: Automatic reply")
    assert isinstance(found, Mail)
    assert found.doubts == ()


def test_a_mail_program_may_unsubscribe_its_reader_by_itself() -> None:
    to = "unsub+abc@reply.play.example"
    found = letter("unsubscribe", to=to, Auto_Submitted="auto-generated")
    assert isinstance(found, Mail)
    assert (found.to, found.lines) == (Addressed("unsub", "abc"), ())


# ---- reports ------------------------------------------------------------------------------------

BOUNCE = f"bounce+{TOKEN}@reply.play.example"
DSN = "multipart/report; report-type=delivery-status; boundary=x"


def delivery(status: str, action: str = "failed", words: str = "", to: str = BOUNCE) -> Reading:
    told = f"Final-Recipient: rfc822; {ANA}\nAction: {action}\nStatus: {status}\n{words}"
    body = "--x\n\nSorry.\n--x\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; a\n\n"
    return letter(f"{body}{told}\n--x--\n", kind=DSN, to=to, sender="")


@pytest.mark.parametrize(("status", "action", "what"), [
    ("5.1.1", "failed", "hard"), ("5.1.10", "failed", "hard"), ("5.2.1", "failed", "hard"),
    ("5.2.2", "failed", "soft"),  # full
    ("5.7.26", "failed", "soft"),  # about us
    ("4.4.1", "failed", "soft"),
    ("4.4.7", "delayed", "delayed"), ("2.0.0", "delivered", "delivered"),
    ("2.0.0", "relayed", "delivered"), ("2.0.0", "expanded", "delivered"),
])  # fmt: skip
def test_a_servers_status_means(status: str, action: str, what: str) -> None:
    found = delivery(status, action)
    assert isinstance(found, Report)
    assert (found.what, found.status, found.to) == (what, status, Addressed("bounce", TOKEN))


def test_a_servers_words_may_say_more_than_its_status() -> None:
    found = delivery("5.0.0", words="Diagnostic-Code: smtp; 550-5.1.1 no such\n user here\n")
    assert isinstance(found, Report)
    assert (found.what, found.status) == ("hard", "5.1.1")
    assert found.text == "550-5.1.1 no such user here"


def test_a_report_at_an_address_that_others_know_kills_no_address() -> None:
    assert delivery("5.1.1", to=TO) == Robot("report", Addressed("turn", TOKEN))


def test_a_bounce_of_another_form_is_a_passing_failure() -> None:
    found = letter("Hi. This is the qmail-send program.", to=BOUNCE, sender="")
    assert found == Report("soft", "", "", Addressed("bounce", TOKEN))


@pytest.mark.parametrize("headers", [
    {"Auto_Submitted": "auto-replied"}, {"X_Autoreply": "yes"}, {"Precedence": "auto_reply"},
    {"Subject": "Automatikus válasz: x"},
])  # fmt: skip
def test_somebody_away_is_no_bounce(headers: dict[str, str]) -> None:
    assert isinstance(letter("Away.", to=BOUNCE, sender="", **headers), Robot)


def test_a_person_at_the_bounce_address_plays_nothing() -> None:
    assert letter("pass", to=BOUNCE) == Robot("to_bounce_address", Addressed("bounce", TOKEN))


def feedback(kind: str) -> Reading:
    body = (
        "--x\n\nThis is a complaint.\n--x\nContent-Type: message/feedback-report\n\n"
        f"Feedback-Type: {kind}\nVersion: 1\nOriginal-Mail-From: <{BOUNCE}>\n\n"
        f"--x\nContent-Type: message/rfc822\n\nReply-To: {TO}\nSubject: x\n\npass\n--x--\n"
    )
    kind = "multipart/report; report-type=feedback-report; boundary=x"
    return letter(body, kind=kind, to="complaints@play.example")


def test_a_complaint_names_our_letter_by_its_bounce_address() -> None:
    assert feedback("abuse") == Report("complaint", "", "abuse", Addressed("bounce", TOKEN))


def test_who_says_it_is_no_spam_does_not_complain() -> None:
    assert feedback("not-spam") == Robot("report", None)


def test_a_note_that_a_letter_was_read_is_a_robots() -> None:
    kind = "multipart/report; report-type=disposition-notification; boundary=x"
    assert letter("--x\n\npass\n--x--", kind=kind) == Robot("report", Addressed("turn", TOKEN))


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
    ("mx.play.example; dkim=pass header.d=example", "unknown"),
    ("mx.play.example; dkim=pass header.d=otherplayers.example", "unknown"),
    ("mx.play.example; dmarc=pass header.from=evil.example", "unknown"),
    ('mx.play.example; spf=none reason="; dmarc=pass"', "unknown"),
    ("mx.play.example; spf=none (; dmarc=pass header.from=players.example;)", "unknown"),
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


def test_without_a_server_of_ours_nobody_is_believed() -> None:
    found = letter(
        ours=Ours("reply.play.example", "play.example"),
        Authentication_Results="mx.play.example; dmarc=pass header.from=players.example",
    )
    assert isinstance(found, Mail)
    assert found.authentic == "unknown"


# ---- which text ---------------------------------------------------------------------------------


def parts(*each: str, kind: str = MIXED) -> tuple[str, ...]:
    return lines("".join(f"--x\n{part}\n" for part in each) + "--x--\n", kind=kind)


def test_an_attachment_is_never_opened() -> None:
    attached = "Content-Type: text/plain\nContent-Disposition: attachment\n\nbid 9"
    named = 'Content-Type: text/plain\nContent-Disposition: inline; filename="a.txt"\n\nbid 9'
    assert parts(attached, named, "\npass") == ("pass",)


def test_a_forwarded_letter_is_never_opened() -> None:
    assert parts("Content-Type: message/rfc822\n\nSubject: x\n\nbid 9") == ()


def test_of_two_forms_the_plain_one_is_read() -> None:
    rich, plain = "Content-Type: text/html\n\n<p>bid 9</p>", "\npass"
    assert parts(rich, plain, kind='multipart/alternative; boundary="x"') == ("pass",)


def test_where_the_plain_form_is_blank_the_other_is_read() -> None:
    rich, plain = "Content-Type: text/html\n\n<p>pass</p>", "\n\xa0\n"
    assert parts(plain, rich, kind='multipart/alternative; boundary="x"') == ("pass",)


def test_a_footer_behind_a_letter_in_html_is_not_read_for_it() -> None:
    assert parts("Content-Type: text/html\n\n<p>pass</p>", "\nbid 9") == ("pass",)


def test_of_a_signed_letter_the_signed_part_is_read() -> None:
    signature = "Content-Type: application/pgp-signature\n\nabc"
    assert parts("\npass", signature, kind='multipart/signed; boundary="x"') == ("pass",)


def test_armour_around_a_clear_text_is_skipped() -> None:
    body = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\npass\n- -- \nx\n-----BEGIN PGP"
    assert lines(body) == ("pass",)


@pytest.mark.parametrize(("kind", "body"), [
    ("multipart/encrypted; boundary=x", "--x\n\npass\n--x--"),
    ("application/pkcs7-mime; smime-type=enveloped-data", "abc"),
    ("text/plain", "-----BEGIN PGP MESSAGE-----\n\nabc"),
])  # fmt: skip
def test_what_is_encrypted_is_not_read(kind: str, body: str) -> None:
    assert refused(letter(body, kind=kind)) == ("encrypted", None)


def test_a_subject_is_never_an_order() -> None:
    assert lines("", Subject="pass") == ()


@pytest.mark.parametrize("charset", [
    "x-bogus", "unknown-8bit", "", "utf8mb4", "punycode", "zlib", "rot13", "undefined", "idna",
    "cp\0", "windows-874", "iso-8859-8-i", "utf-7", "'utf-8'",
])  # fmt: skip
def test_plain_letters_are_read_whatever_the_charset_is_called(charset: str) -> None:
    assert lines(b"bid 5", kind=f'text/plain; charset="{charset}"') == ("bid 5",)


def test_utf_8_is_tried_where_the_declared_charset_does_not_fit() -> None:
    assert lines("пас".encode(), kind="text/plain; charset=us-ascii2") == ("пас",)


def test_base64_ends_where_it_ends() -> None:
    body = "cGFzcw==\n\n______\nA list's footer"
    assert lines(body, Content_Transfer_Encoding="base64") == ("pass",)


def test_a_word_cut_in_two_by_flowed_text_is_made_whole() -> None:
    kind = "text/plain; format=flowed; delsp=yes"
    assert lines("place 8 recru \niting\n", kind=kind) == ("place 8 recruiting",)


def test_flowed_lines_are_not_joined_across_quotes() -> None:
    kind = "text/plain; format=flowed"
    assert lines("pass \n> bid 9 \n> x\n", kind=kind) == ("pass",)


# ---- which lines --------------------------------------------------------------------------------


@pytest.mark.parametrize(("typed", "read_as"), [
    ("  place   8\trecruiting ", "place 8 recruiting"),
    ("bid\u00a05", "bid 5"),
    ("ｂｉｄ ５", "bid 5"),
    ("\ufeffbid\u200b 5\u2060", "bid 5"),
    ("\u202ebid 5", "bid 5"),
    ("bid 5\0", "bid 5"),
])  # fmt: skip
def test_lines_have_one_form(typed: str, read_as: str) -> None:
    assert lines(typed) == (read_as,)


@pytest.mark.parametrize("end", [
    "", "> bid 9", "＞ bid 9", "| bid 9", "PT> bid 9", "--", "-- ", "—", "--Ana", "_________",
    "##- type your move above this line -##", "> ##- type", "# #- type", "**##- type", "##— type",
    "On Sun, Nov 29, 2026 at 10:12 Carreira wrote:",
    "On Sun, Nov 29, 2026\nat 10:12 Carreira\n<table@play.example>\nwrote:",
    "Am 29.11.26 um 10:12 schrieb Carreira:", "Le dim. 29 nov. 2026 à 10:12, C a écrit :",
    "El dom, 29 nov 2026 a las 10:12, Carreira escribió:",
    "From: Carreira", "*From:* Carreira", "Feladó: Carreira", "От: Carreira", "De: Carreira",
    "Von: Carreira", "Begin forwarded message:",
    "Sent from my iPhone", "Sent from Mail for Windows", "Sent with Proton Mail secure email.",
    "Az iPhone készülékemről küldve", "iPhone-omról küldve", "Отправлено с iPhone",
    "Отправлено из мобильной Почты", "Enviado do meu iPhone", "Enviado a partir do meu Galaxy",
    "Von meinem iPhone gesendet", "Envoyé de mon iPhone", "Get Outlook for iOS",
])  # fmt: skip
def test_reading_stops_directly_at(end: str) -> None:
    assert lines(f"\n\nbid 5\n{end}\nbid 9\n") == ("bid 5",)


@pytest.mark.parametrize("order", [
    "send natal: a1>9a, b2>9b", "merchant natal>9a", "harvest ginger@1, pepper@cochin",
    "recruit 1: 2 violet, captain", "bid 6; later: up to 4 for lot 4; pass on the rest",
    "use duty: clove@1, clove@2", "from", "de 3",
])  # fmt: skip
def test_reading_does_not_stop_at_an_order(order: str) -> None:
    attribution = "On Sun, Nov 29, 2026 at 10:12 Carreira <\ntable@play.example> wrote:\n> bid 9"
    assert lines(f"{order}\n{order}\n{attribution}") == (order, order)


def test_an_answer_below_the_quote_is_read() -> None:
    body = "On Sunday at 10:12 C wrote:\n> bid 9\n\n> pass\n\nbid 5\n\n-- \nAna"
    assert lines(body) == ("bid 5",)


def test_an_answer_below_a_quote_that_nobody_introduces_is_read() -> None:
    assert lines("> bid 9\n\nbid 5") == ("bid 5",)


def test_an_introduction_in_another_language_is_skipped_with_its_quote() -> None:
    introduced = "W dniu 29.11.2026 o 10:12, Carreira <table@play.example> napisał(a):"
    assert lines(f"{introduced}\n> pass\n\nbid 5") == ("bid 5",)


def test_a_line_directly_below_a_quote_may_be_its_end_and_is_a_doubt() -> None:
    found = letter("On Sunday at 10:12 C wrote:\n> you can bid 9 or\npass\n\nbid 5")
    assert isinstance(found, Mail)
    assert (found.lines, found.doubts) == (("pass",), ("below_quote",))


def test_nothing_is_read_below_an_introduction_without_a_quote_sign() -> None:
    assert lines("On Sunday at 10:12 Carreira wrote:\n\nbid 9\npass\n") == ()


def test_orders_above_an_introduction_are_not_taken_for_a_part_of_it() -> None:
    body = "bid 5\nW dniu 29.11.2026 o 10:12, C <table@play.example> napisał(a):\n> pass\n\nx"
    assert "pass" not in lines(body)
    assert lines(body.replace("napisał(a)", "wrote")) == ("bid 5",)


# ---- HTML ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("unseen", [
    "<!-- bid 9 -->", '<div style="display: none">bid 9</div>', "<p hidden>bid 9</p>",
    "<style>bid 9</style>", "<script>bid 9</script>", '<span style="font-size:0px">bid 9</span>',
    '<div style="mso-hide:all">bid 9</div>', "<s>bid 9</s>", "<title>bid 9</title>",
    '<div class="gmail_signature">bid 9</div>',
])  # fmt: skip
def test_what_nobody_saw_is_no_order(unseen: str) -> None:
    assert lines(f"{unseen}<div>pass</div>", kind="text/html") == ("pass",)


@pytest.mark.parametrize("quote", [
    "<blockquote>bid 9</blockquote>", '<div class="gmail_quote"><div>x</div>bid 9</div>',
    '<div id="divRplyFwdMsg">From</div><div>bid 9</div>',
    '<div id="x_divRplyFwdMsg">From</div><div>bid 9</div>', "<hr>bid 9",
    '<div class="yahoo_quoted">bid 9</div>',
    '<div id="mail-editor-reference-message-container">bid 9</div>',
])  # fmt: skip
def test_what_is_quoted_in_html_is_no_order(quote: str) -> None:
    assert lines(f"<div>pass</div>{quote}", kind="text/html") == ("pass",)
    assert lines(quote, kind="text/html") == ()


def test_an_answer_below_a_quote_in_html_is_read() -> None:
    html = "<div>On Sunday at 10:12 C wrote:</div><blockquote>bid 9</blockquote><p>bid 5</p>"
    assert lines(html, kind="text/html") == ("bid 5",)


def test_paragraphs_are_apart_unless_they_touch() -> None:
    assert lines("<p>bid 5</p><p>pass</p>", kind="text/html") == ("bid 5",)
    tight = '<p style="margin: 0">bid 5</p><p class="MsoNormal">pass</p>'
    assert lines(tight, kind="text/html") == ("bid 5", "pass")


def test_lines_in_html_are_lines() -> None:
    html = "<table><tr><td>bid</td><td>5</td></tr></table>pass<br/>done<ul><li>wait</ul>"
    assert lines(html, kind="text/html") == ("bid 5", "pass", "done", "wait")
