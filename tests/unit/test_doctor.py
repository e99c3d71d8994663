"""`doctor` says what stands in the way of letters, and what the DNS has to say for them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from sqlmodel import select

from pbem import cli
from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.models import MailPause, Outbox, Person, stored_id
from pbem.models.operators import Report
from pbem.operators import dns_records, mail_checks
from pbem.operators.mail_checks import Finding
from pbem.service import Service
from tests.support.letterfactory import turn_letter
from tests.support.postbox import Postbox
from tests.support.servers import ROOT, free_port, without_our_settings
from tests.support.tables import person

Doctor = Callable[..., tuple[int, str]]


@pytest.fixture
def doctor(
    environment: dict[str, str], service: Service, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Doctor:
    """The command on a migrated service; settings by keyword."""
    for name in [name for name in os.environ if name.startswith("CARREIRA_")]:
        monkeypatch.delenv(name)

    def run(*arguments: str, **settings: str) -> tuple[int, str]:
        given = {f"CARREIRA_{name}": value for name, value in settings.items()}
        for name, value in (environment | given).items():
            monkeypatch.setenv(name, value)
        return cli.main(["doctor", *arguments]), capsys.readouterr().out

    return run


def states(findings: list[Finding] | object) -> list[tuple[str, str]]:
    return [(each.state, each.about) for each in findings]  # type: ignore[attr-defined]


# ---- the command --------------------------------------------------------------------------------


def test_it_prints_the_records_and_sends_a_letter_as_all_others_are_sent(
    doctor: Doctor, postbox: Postbox, tmp_path: Path
) -> None:
    key = tmp_path / "key.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ED25519", "-out", key], check=True)
    code, said = doctor("mail", "--to", "Operator@club.example", SMTP_URL=postbox.url,
                        DKIM_KEY=str(key), MAIL_IN=f"smtp://127.0.0.1:{postbox.port}")  # fmt: skip

    assert 'carreira.example. TXT "v=spf1 a:mx.carreira.example -all"' in said
    assert 'reply.carreira.example. TXT "v=spf1' in said
    assert "reply.carreira.example. MX 10 mx.carreira.example." in said
    assert '_dmarc.carreira.example. TXT "v=DMARC1; p=quarantine;' in said
    assert 'carreira._domainkey.carreira.example. TXT "v=DKIM1; k=ed25519; p=' in said
    assert "ok    letter to operator@club.example: accepted: 250 2.0.0 kept" in said
    assert postbox.envelopes == [("bounce@reply.carreira.example", "operator@club.example")]
    letter = message_from_bytes(postbox.letters[0], policy=policy.default)
    assert letter["DKIM-Signature"]
    assert letter["From"] == "Carreira <table@carreira.example>"
    assert code == 0


def test_what_the_server_answers_to_the_letter_is_said(doctor: Doctor, postbox: Postbox) -> None:
    postbox.at_data = ["550 5.7.26 sign your letters"]

    code, said = doctor("mail", "--to", "operator@club.example", SMTP_URL=postbox.url)

    assert code == 1
    assert "bad   letter to operator@club.example: our fault: 550 5.7.26 sign your letters" in said


def test_a_server_that_is_not_there_is_bad(doctor: Doctor) -> None:
    code, said = doctor("mail", SMTP_URL=f"smtp://127.0.0.1:{free_port()}", MAIL_IN="none")

    assert code == 1
    assert "refused" in said
    assert "see host, port, encryption and user in the URL" in said


def test_a_listener_that_does_not_run_is_bad(doctor: Doctor) -> None:
    code, said = doctor("mail", MAIL_IN=f"smtp://127.0.0.1:{free_port()}")

    assert code == 1
    assert "bad   listener smtp://127.0.0.1:" in said


def test_without_any_server_it_says_where_letters_are(doctor: Doctor) -> None:
    code, said = doctor("mail", MAIL_IN="none")

    assert code == 0
    assert "letters are kept in" in said


def test_an_address_that_is_none_is_refused(doctor: Doctor) -> None:
    with pytest.raises(SystemExit) as ended:
        doctor("mail", "--to", "nobody")

    assert ended.value.code == 2


def test_the_whole_service_is_looked_at_without_a_word_of_its_own(doctor: Doctor) -> None:
    code, said = doctor(MAIL_IN="none", REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")

    assert code == 1
    assert "ok    database: sqlite, of this version" in said
    assert "bad   broker: does not answer" in said
    assert "warn  sweep: was never here" in said


@pytest.mark.parametrize(("left", "told"), [(19, "bad  "), (499, "warn ")])
def test_a_disk_that_is_nearly_full_is_told(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch, left: int, told: str
) -> None:
    found = shutil.disk_usage("/")._replace(free=left * 2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: found)
    _code, said = doctor(MAIL_IN="none", REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")

    assert said.startswith(f"{told} folder: ")
    assert f"its disk has {left} MB left -> make room" in said


def test_whoever_reads_only_the_first_lines_meets_no_error(tmp_path: Path) -> None:
    asked = subprocess.Popen(
        [sys.executable, str(ROOT / "app.py"), "doctor"], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=without_our_settings(os.environ) | {"CARREIRA_VAR": str(tmp_path)})
    assert asked.stdout is not None
    assert asked.stderr is not None
    asked.stdout.close()
    assert asked.stderr.read() == ""
    assert asked.wait(60) == cli.READ_NO_MORE


def test_reports_that_wait_for_an_operator_are_told_with_their_page(
    doctor: Doctor, service: Service
) -> None:
    settings = {"MAIL_IN": "none", "REDIS_URL": f"redis://127.0.0.1:{free_port()}/0"}
    assert "reports: " not in doctor(**settings)[1]
    with service.writing() as session:
        ana, bento = (person(session, name, service.clock.now()) for name in ("Ana", "Bento"))
        session.flush()
        session.add(Report(by_id=stored_id(ana), about_id=stored_id(bento), text="rude",
                           at=service.clock.now()))
        session.commit()

    assert ("warn  reports: 1 wait for an operator -> "
            f"{service.settings.base_url}/operator/reports") in doctor(**settings)[1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "ok    trust token: .* -> set CARREIRA_AUTHSERV_ID, or"),
        ({"BASE_URL": "https://play.carreira.pt"}, "warn  trust token: .* -> set CARREIRA_AUTH"),
        ({"MAIL_IN": "none"}, "ok    trust hold: .* -> .* set CARREIRA_AUTHSERV_ID"),
        ({"MAIL_TRUST": "hold", "AUTHSERV_ID": "mx.play.example"},
         "ok    trust hold: .* set CARREIRA_MAIL_TRUST=dmarc"),
        ({"AUTHSERV_ID": "mx.play.example"}, "ok    trust dmarc: .*mx.play.example found"),
        ({"MAIL_TRUST": "dmarc"}, "bad   trust dmarc: .* -> set CARREIRA_AUTHSERV_ID"),
    ],
)  # fmt: skip
def test_the_trust_in_letters_is_told_with_what_would_raise_it(
    doctor: Doctor, given: dict[str, str], said: str
) -> None:
    assert re.search(said, doctor(**given)[1])


def test_an_old_database_is_named(doctor: Doctor, tmp_path: Path) -> None:
    code, said = doctor(DATABASE_URL=f"sqlite:///{tmp_path}/empty.db", MAIL_IN="none")

    assert code == 1
    assert "bad   database: is not of this version -> python app.py migrate" in said


# ---- what is published --------------------------------------------------------------------------


def real(settings: Settings) -> Settings:
    return replace(settings, mail_domain="play.club.org", reply_domain="r.play.club.org")


def test_records_that_are_published_as_printed_are_good(settings: Settings) -> None:
    settings = real(settings)
    zone = {(each.name, each.kind): [each.value, "other=1"] for each in
            dns_records.records(settings)}  # fmt: skip

    found = list(mail_checks.dns(settings, lambda name, kind: zone[name, kind]))

    assert {each.state for each in found} == {"ok"}
    assert len(found) == 4


def test_records_that_lack_or_say_something_else_are_named(settings: Settings) -> None:
    settings = real(settings)
    zone = {
        ("play.club.org", "TXT"): ["v=spf1 mx -all", "v=spf1 a -all"],
        ("r.play.club.org", "TXT"): [],
        ("_dmarc.play.club.org", "TXT"): ["v=DMARC1; p=none"],
        ("r.play.club.org", "MX"): ["10 mx.elsewhere.org."],
    }

    found = states(mail_checks.dns(settings, lambda name, kind: zone[name, kind]))

    assert found == [("bad", "TXT play.club.org"), ("bad", "TXT r.play.club.org"),
                     ("warn", "TXT _dmarc.play.club.org"),
                     ("bad", "MX r.play.club.org")]  # fmt: skip


@pytest.mark.parametrize(("spf", "state"), [
    ("v=spf1 a:mx.play.club.org -all", "ok"), ("v=spf1 -all", "bad"), ("v=spf1 ~all", "bad"),
    ("v=spf1 +all", "bad"), ("v=spf1", "bad"), ("v=spf1 -mx ?a ~all", "bad"),
    ("v=spf1 include:spf.provider.org -all", "warn"), ("v=spf1 mx -all", "warn"),
])  # fmt: skip
def test_an_spf_record_that_does_not_let_our_machine_send_is_not_good(
    settings: Settings, spf: str, state: str
) -> None:
    record = dns_records.records(real(settings))[0]

    assert mail_checks.published(record, [spf]).state == state


def test_a_server_that_refuses_every_sender_is_bad(doctor: Doctor, postbox: Postbox) -> None:
    postbox.at_mail = ["550 5.7.1 you are nobody's"] * 9

    code, said = doctor("mail", SMTP_URL=postbox.url, MAIL_IN="none")

    assert code == 1
    assert "does not take letters: 550 5.7.1 you are nobody's" in said


def test_when_no_name_server_answers_nothing_is_called_bad(settings: Settings) -> None:
    asked = []

    found = states(mail_checks.dns(real(settings), lambda name, kind: asked.append(name)))

    assert found == [("warn", "DNS")]
    assert len(asked) == 1


def test_a_long_key_is_written_as_several_strings() -> None:
    written = dns_records.quoted("x" * 400)

    assert written == f'"{"x" * 255}" "{"x" * 145}"'


# ---- what happened to letters -------------------------------------------------------------------


def found_of(service: Service) -> dict[str, Finding]:
    with service.reading() as session:
        return {each.about: each for each in mail_checks.letters(session, service.clock.now())}


def test_nothing_is_wrong_with_an_empty_outbox(service: Service) -> None:
    assert {each.state for each in found_of(service).values()} == {"ok"}


def test_letters_that_nobody_sends_are_bad(service: Service, clock: FixedClock) -> None:
    turn_letter(service)
    clock.forward(timedelta(minutes=9))

    assert found_of(service)["outbox"].said == "1 due, the oldest for 9 minutes"
    assert found_of(service)["outbox"].state == "bad"


def test_pauses_dead_letters_and_people_without_letters_are_named(service: Service) -> None:
    now = service.clock.now()
    letter = turn_letter(service)
    with service.writing() as session:
        session.add(MailPause(domain="big.example", until=now, since=now, why="550 5.7.26 sign"))
        session.add(MailPause(domain="slow.example", until=now, since=now, why="451 4.7.1 wait"))
        row = session.get_one(Outbox, letter)
        row.state, row.settled = "dead", now
        session.exec(select(Person)).first().suppressed = "5.1.1"
        session.commit()

    found = found_of(service)

    assert found["letters to big.example"].state == "bad"
    assert found["letters to slow.example"].state == "warn"
    assert found["given up"].said == "1 letters in the last day"
    assert found["suppressed"].said == "1 people get no letters"
