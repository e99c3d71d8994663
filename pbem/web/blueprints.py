"""The pages, by what they are about."""

from __future__ import annotations

from pbem.web import devmail, fonts, health, home, rules
from pbem.web import help as help_
from pbem.web.account import (
    api_tokens,
    blocks,
    confirm_mail,
    hooks,
    privacy,
    profile,
    recovery,
    sign_in,
    unsubscribe,
    vacation,
)
from pbem.web.account import (
    letters as account_letters,
)
from pbem.web.api import (
    routes,
)
from pbem.web.archive import (
    compare,
    exports,
    feeds,
    graph,
    lists,
    players,
)
from pbem.web.lobby import (
    games as lobby_games,
)
from pbem.web.lobby import (
    invitations,
    open_seats,
    quick_start,
    rematch,
    seats,
)
from pbem.web.operator import (
    games as operator_games,
)
from pbem.web.operator import (
    letters as operator_letters,
)
from pbem.web.operator import (
    overview,
    people,
    reports,
)
from pbem.web.table import (
    consent,
    notes,
    orders_ahead_form,
    page,
    seat,
)

BLUEPRINTS = tuple(each.blueprint for each in (
    home, fonts, sign_in, profile, account_letters, lobby_games, invitations, page, seat,
    vacation, lists, players, rules, help_, unsubscribe, confirm_mail, privacy, blocks, reports,
    devmail, feeds, routes, api_tokens, hooks, notes, graph, compare, exports, orders_ahead_form,
    consent, seats, open_seats, rematch, quick_start, health, overview, operator_games,
    operator_letters, people, recovery,
))
