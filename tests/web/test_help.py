"""The page that says how to play by mail."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from pbem.i18n import words
from pbem.mail.incoming.commands import IN_GAMES


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_the_help_page_names_every_word_and_where_orders_are_explained(
    client: FlaskClient, language: str
) -> None:
    page = client.get("/help/mail", headers={"Accept-Language": language}).text

    assert all(f"<code>{word}" in page for word in IN_GAMES)
    assert 'href="/rules/vasco-da-gama#orders"' in page
    assert 'href="/rules/goa#orders"' in page
    assert f'<html lang="{language}"' in page


def test_words_are_listed_with_their_names_in_the_readers_language(client: FlaskClient) -> None:
    page = client.get("/help/mail", headers={"Accept-Language": "pt"}).text

    assert "desfazer, anular" in page
