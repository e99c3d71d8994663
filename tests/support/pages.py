"""Every page of the site with an example address and who looks at it."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.support.world import World


class Page(NamedTuple):
    """An address with places for the world's facts, and who looks: see `World.who`."""

    endpoint: str
    path: str
    viewer: str = "visitor"
    status: int = 200
    game: str = "vg"

    def __str__(self) -> str:
        return f"{self.path} {self.viewer}"

    def address(self, world: World) -> str:
        """The path in this world."""
        return self.path.format(**world.facts)

    def who(self, world: World) -> str | None:
        """Whose browser it is."""
        return world.who(self.viewer, self.game)


PAGES = [
    Page("home.home", "/"),
    Page("home.home", "/", "Ana"),
    # tables
    Page("lobby.game", "/games/{vg}", "asked"),
    Page("lobby.game", "/games/{vg}", "waiting"),
    Page("lobby.game", "/games/{vg}"),
    Page("lobby.game", "/games/{goa}", "asked", game="goa"),
    Page("lobby.game", "/games/{goa}", "Gil", game="goa"),
    Page("lobby.game", "/games/{over}", "Eszter"),
    Page("table.at_entry", "/games/{vg}/{vg_entry}", "Ana"),
    Page("table.at_entry", "/games/{goa}/{goa_entry}", "Gil"),
    Page("table.at_entry", "/games/{over}/3", "Eszter"),
    Page("compare.show", "/games/{over}/compare?a=3&b=9", "Eszter"),
    Page("graph.show", "/games/{over}/graph"),
    Page("graph.show", "/games/{goa}/graph", "Bento"),
    Page("seat.notes_page", "/games/{vg}/notes", "Ana"),
    Page("exports.overview", "/games/{over}/exports", "Eszter"),
    Page("exports.chance", "/games/{over}/chance"),
    Page("seat.resign_page", "/games/{vg}/resign", "Ana"),
    Page("seats.hand_over_page", "/games/{vg}/hand-over", "Ana"),
    Page("lobby.game", "/games/{hands}", "Ana"),
    Page("lobby.game", "/games/{hands}", "Duarte"),
    Page("lobby.game", "/games/{hands}", "Gil"),
    Page("lobby.game", "/games/{hands}"),
    Page("invitations.show", "/invitations/{seat_invitation}", "Gil"),
    Page("consent.choose", "/games/{vg}/back", "Ana"),
    Page("consent.choose", "/games/{goa}/back", "asked", game="goa"),
    Page("lobby.cancel_page", "/games/{vg}/cancel", "Bento"),
    # lobby
    Page("lobby.games", "/games"),
    Page("lobby.games", "/games", "Ana"),
    Page("lobby.games", "/games", "Gil"),
    Page("lobby.new", "/games/new", "Ana"),
    Page("lobby.game", "/games/{open}", "Ana"),
    Page("lobby.game", "/games/{open}", "Catarina"),
    Page("seats.open_seats_page", "/seats"),
    Page("seats.open_seats_page", "/seats?game=goa", "Catarina"),
    Page("seats.open_seats_page", "/seats?game=vasco-da-gama", "Gil"),
    Page("quick_start.solo_form", "/solo"),
    Page("quick_start.solo_form", "/solo?game=goa", "Bento"),
    Page("quick_start.friends_form", "/friends", "Ana"),
    Page("quick_start.learn", "/learn"),
    Page("quick_start.learn", "/learn", "Gil"),
    Page("lobby.game", "/games/{lesson_vg}", "Gil"),
    Page("lobby.game", "/games/{lesson_goa}", "Gil"),
    Page("lobby.game", "/games/{among_friends}", "Duarte"),
    Page("lobby.game", "/games/{rematch}", "Fedor"),
    Page("quick_start.series_standings", "/series/{series}", "Eszter"),
    Page("invitations.show", "/invitations/{invitation}"),
    Page("invitations.join_page", "/join/{join}", "Duarte"),
    # archive
    Page("archive.games", "/archive"),
    Page("archive.games", "/archive?player=Eszter"),
    Page("archive.games", "/archive?player=nobody+at+all", "Catarina"),
    Page("archive.games", "/archive?state=running", "Bento"),
    Page("players.player", "/players/{eszter}"),
    Page("players.player", "/players/{ana}", "Ana"),
    Page("players.player", "/players/{eszter}", "Bento"),
    Page("blocks.about_player", "/players/{eszter}/report", "Bento"),
    Page("blocks.about_line", "/talk/{line}", "Bento"),
    Page("players.player", "/players/{eszter}", "Bento"),
    Page("blocks.about_player", "/players/{eszter}/report", "Bento"),
    Page("blocks.about_line", "/talk/{line}", "Bento"),
    Page("players.against", "/players/{eszter}/against/{fedor}"),
    Page("players.best", "/ratings"),
    Page("statistics.of_game", "/statistics/vasco-da-gama"),
    Page("statistics.of_game", "/statistics/goa", "Ana"),
    # own things
    Page("account.account", "/account", "Ana"),
    Page("account.account", "/account", "Catarina"),
    Page("account.account", "/account", "Bento"),
    Page("account.account", "/account", "Bento"),
    Page("account.leave_page", "/account/leave", "Ana"),
    Page("feeds.addresses", "/account/feeds", "Ana"),
    Page("integrations.tokens", "/account/tokens", "Ana"),
    Page("integrations.hooks", "/account/hooks", "Ana"),
    Page("letters.own", "/letters", "Ana"),
    Page("letters.own", "/letters", "Bento"),
    Page("letter_links.held_page", "/held/{held}", "{held_by}"),
    # doors
    Page("sign_in.form", "/sign-in"),
    Page("sign_in.code", "/sign-in/code"),
    Page("sign_in.link", "/sign-in/{link}"),
    Page("sign_in.link", "/sign-in/used-up", status=404),
    Page("sign_in.new_person", "/sign-in/new", "newcomer"),
    Page("letter_links.stop_letters_page", "/u/{u}"),
    # to read
    Page("rules.index", "/rules"),
    Page("rules.rules", "/rules/vasco-da-gama"),
    Page("rules.rules", "/rules/goa", "Catarina"),
    Page("home.mail_help", "/help/mail"),
    Page("home.privacy", "/privacy"),
    # for whoever runs it
    Page("devmail.letters", "/dev/mail"),
    Page("devmail.letter", "/dev/mail/{letter}"),
    Page("operator.overview", "/operator", "Olga"),
    Page("operator.log", "/operator/acts", "Olga"),
    Page("operator_failures.games", "/operator/games", "Olga"),
    Page("operator_failures.letters_page", "/operator/letters", "Olga"),
    Page("operator_reports.listed", "/operator/reports", "Olga"),
    Page("operator_reports.line", "/operator/talk/{line}", "Olga"),
    Page("operator_reports.player", "/operator/players/{ana}", "Olga"),
    Page("operator_reports.listed", "/operator/reports", "Olga"),
    Page("operator_reports.line", "/operator/talk/{line}", "Olga"),
    Page("operator_reports.player", "/operator/players/{ana}", "Olga"),
    Page("operator_people.search", "/operator/people", "Olga"),
    Page("operator_people.person", "/operator/people/{ana}", "Olga"),
    Page("operator_people.person", "/operator/people/{gil}", "Olga"),
    Page("letter_links.recovery_page", "/recovery/{recovery_confirm}"),
    Page("letter_links.recovery_page", "/recovery/{recovery_stop}"),
    # what is not there
    Page("none", "/nothing/here", status=404),
    Page("none", "/account/hooks/1", "Ana", status=404),
]
NO_PAGES = {  # GET routes that answer with no page of the site, and why
    "static": "files",
    "site_files.font": "fonts",
    "site_files.icon": "a picture",
    "site_files.robots": "for search engines",
    "health.healthz": "JSON for a monitor",
    "health.readyz": "JSON for a monitor",
    "health.metrics": "figures for Prometheus",
    "account.export_own_data": "a file of one's own data",
    "archive.record": "a file",
    "exports.html": "a file that needs no site",
    "exports.text": "a file",
    "lobby.components": "a file",
    "lobby.standard_components": "a file",
    "devmail.html": "a letter in its frame, as a mail program shows it",
    "feeds.public_game": "Atom",
    "link_preview.picture": "a picture",
    "newest.newest": "JSON for a page's script",
    "feeds.own_game": "Atom",
    "feeds.own_games": "Atom",
    "feeds.deadlines": "iCalendar",
    "api.games": "JSON",
    "api.table": "JSON",
    "api.history": "JSON",
    "api.orders_ahead": "JSON",
    "api.legal_orders": "JSON",
    "api.what_became": "JSON",
    "api.record": "JSON",
    "api.description": "JSON",
}


def get_routes(app: Any) -> set[str]:
    """The endpoints that a browser can look at."""
    return {rule.endpoint for rule in app.url_map.iter_rules() if "GET" in rule.methods}
