"""Builds the letters about an account that gets another address because its mailbox is lost."""

from __future__ import annotations

from pbem.accounts import recovery_links
from pbem.mail.letter import Occasion, Values
from pbem.models import Person
from pbem.models.operators import Recovery


def recover(it: Occasion) -> Values:
    """To the new address: a link to confirm it."""
    found = it.session.get_one(Recovery, it.row.about_id)
    return about(it, found) | {"link": link(it, "confirm", found)}


def told(it: Occasion) -> Values:
    """To an old address: what will happen, and a link that stops it."""
    found = it.session.get_one(Recovery, it.row.about_id)
    return about(it, found) | {"link": link(it, "stop", found)}


def recovered(it: Occasion) -> Values:
    """To all of them: it has happened."""
    found = it.session.get_one(Recovery, it.row.about_id)
    return about(it, found) | {"is_new": it.reader.address == found.address,
                               "link": f"{it.settings.base_url}/sign-in"}


def about(it: Occasion, found: Recovery) -> Values:
    """Return whose account it is, and when the change happens."""
    return {"name": it.session.get_one(Person, found.person_id).name, "due": found.due}


def link(it: Occasion, purpose: recovery_links.Purpose, found: Recovery) -> str:
    """Return the URL of the page with the button."""
    token = recovery_links.token(it.settings.keys, purpose, found, it.row.message_id)
    return f"{it.settings.base_url}/recovery/{token}"
