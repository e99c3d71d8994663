"""What letters say about an account whose mailbox is lost, and that gets another address."""

from __future__ import annotations

from pbem.accounts import recovery_links
from pbem.mail.letters.context import Occasion, Values
from pbem.models import Person
from pbem.models.operators import Recovery


def recover(it: Occasion) -> Values:
    """To the new address: a link to confirm it by."""
    found = it.session.get_one(Recovery, it.row.about_id)
    return about(it, found) | {"link": link(it, "confirm", found)}


def told(it: Occasion) -> Values:
    """To an old address: what is to happen, and a link that stops it."""
    found = it.session.get_one(Recovery, it.row.about_id)
    return about(it, found) | {"link": link(it, "stop", found)}


def recovered(it: Occasion) -> Values:
    """To all of them: it has happened."""
    found = it.session.get_one(Recovery, it.row.about_id)
    return about(it, found) | {"is_new": it.reader.address == found.address,
                               "link": f"{it.settings.base_url}/sign-in"}


def about(it: Occasion, found: Recovery) -> Values:
    """Whose account it is, and when it happens."""
    return {"name": it.session.get_one(Person, found.person_id).name, "due": found.due}


def link(it: Occasion, purpose: recovery_links.Purpose, found: Recovery) -> str:
    """The page with the button."""
    token = recovery_links.token(it.settings.keys, purpose, found, it.row.message_id)
    return f"{it.settings.base_url}/recovery/{token}"
