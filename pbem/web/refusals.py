"""Words refusals of the lobby, clocks, component sets and names as sentences."""

from __future__ import annotations

from engine.errors import BadComponents
from pbem.clocks.rules import BadClock
from pbem.names import BadText
from pbem.tables.lobby import LobbyRefused
from pbem.web.account.person_form import why_bad
from pbem.web.filters import _, ngettext
from pbem.web.lobby import terms_form


def said(refused: LobbyRefused) -> str:
    """Return the refusal as a sentence in the reader's language; re-raises one without a text."""
    numbers = refused.numbers
    counted = _counted(refused.key, numbers)
    if counted:
        return counted
    if refused.key == "not_open":
        return _ended(str(numbers["state"]))
    texts = {
        "no_such_title": _("This site has no such game."),
        "no_such_option": _("This game cannot be played that way."),
        "no_such_game": _("There is no such game."),
        "no_such_bot": _("There is no such player of the service's own."),
        "host_only": _("Only the host of the game can do that."),
        "players_only": _("Only who plays in this game can do that."),
        "host_cancels": _("The host keeps the first chair. To give the game up, cancel it."),
        "own_address": _("This is your own address, and you sit at the table already."),
        "not_running": _("The game does not run, so there is nothing to cancel."),
        "not_invited": _("This invitation was declined or taken back."),
        "no_rematch": _("Only who played this game to its end can have a rematch."),
        "invitation_used": _("Somebody has accepted this invitation already."),
        "not_for_you": _("The free chairs of this table are kept for others."),
    }
    if refused.key in texts:
        return texts[refused.key]
    if refused.key == "name_looks_alike":
        return _("Your name looks like %(name)s, who sits at this table. Change yours on your "
                 "account page, then join.", name=numbers["name"])
    if refused.key == "blocked_here":
        return _("Somebody whom you have blocked sits at this table: %(names)s. Nothing was done; "
                 "you can still sit down on its page.", names=numbers["names"])
    if refused.key == "invited_already":
        return _("%(address)s is invited to this game already.", address=numbers["address"])
    raise refused


def _counted(key: str, numbers: dict[str, int]) -> str | None:
    """Return the sentence of a refusal that depends on a number, or None."""
    if key == "full":
        return ngettext("The chair is taken: somebody was quicker. You have not joined.",
                        "All %(num)s chairs are taken: somebody was quicker. You have not joined.",
                        numbers["seats"])
    if key == "too_few":
        return ngettext("%(num)s sits at the table; the game needs %(needed)s.",
                        "%(num)s sit at the table; the game needs %(needed)s.",
                        numbers["seated"], needed=numbers["needed"])
    if key == "seats_out_of_range":
        return _("With these components %(low)s to %(high)s people can play.", **numbers)
    if key == "series_out_of_range":
        return _("A series has %(low)s to %(high)s games.", **numbers)
    if key == "components_too_large":
        return _("A component set may have %(limit)s KiB; this one has more.", **numbers)
    return _limit(key, numbers["limit"]) if "limit" in numbers else None


def _limit(key: str, limit: int) -> str | None:
    """Return the sentence for a reached limit, or None."""
    texts = {
        "too_many_open": ngettext(
            "You have %(num)s open game already; start or cancel one first.",
            "You have %(num)s open games already; start or cancel one first.", limit),
        "solo_enough": ngettext(
            "You play %(num)s game against players of the service already; finish one first.",
            "You play %(num)s games against players of the service already; finish one first.",
            limit),
        "invited_enough": ngettext(
            "You can invite %(num)s address a day; go on tomorrow.",
            "You can invite %(num)s addresses a day; go on tomorrow.", limit),
        "invited_often": ngettext(
            "This address was sent %(num)s letter about this game, and gets no more.",
            "This address was sent %(num)s letters about this game, and gets no more.", limit),
    }
    return texts.get(key)


def _ended(state: str) -> str:
    """Return why a game in this state cannot be changed."""
    texts = {
        "open": _("This game does not run."),
        "running": _("The game has begun, so this cannot be changed any more."),
        "finished": _("The game is over."),
        "cancelled": _("The game was cancelled."),
        "expired": _("The game was open for too long and has ended without a start."),
    }
    return texts[state]


def bad_components(bad: BadComponents) -> str:
    """Return which table and row of a component set is wrong, and why."""
    if bad.row:
        return _("This component set cannot be used. Table [%(table)s], %(row)s: %(reason)s. "
                 "No game was opened.", table=bad.table, row=bad.row, reason=bad.reason)
    return _("This component set cannot be used. Table [%(table)s]: %(reason)s. "
             "No game was opened.", table=bad.table, reason=bad.reason)


def why(refused: LobbyRefused | BadComponents | BadText | BadClock) -> str:
    """Return what is wrong, as a sentence."""
    if isinstance(refused, BadClock):
        return terms_form.said(refused)
    if isinstance(refused, BadComponents):
        return bad_components(refused)
    return why_bad(refused) if isinstance(refused, BadText) else said(refused)
