"""Applies the actions except founding: progress, ships, harvest, taxes, expedition.

Rules: GO-4.1 to GO-4.8.
"""

from __future__ import annotations

from engine.api import Seat
from engine.errors import IllegalMove
from engine.goa import drawing
from engine.goa.components import Card, GoaComponents
from engine.goa.events import (
    ActionChosen,
    AllMarkersInRow,
    CardPlayed,
    FirstInRow,
    GoaNowAwaiting,
    Harvested,
    MarkerMoved,
    RoomMade,
    ShipsBuilt,
    TaxesTaken,
)
from engine.goa.fields import check_returned, check_taken, empty_of, number_of, room_in
from engine.goa.lookups import card_in_hand, hand_limit, next_step, taken_by
from engine.goa.moves import BuildShips, Expedition, Harvest, Progress, Taxes
from engine.goa.state import COLUMNS, AwaitRoom, GoaPlayer, GoaState, Sacks
from engine.journal import Journal

WITHOUT_SPICES, WITHOUT_SHIPS = "progress_without_spices", "progress_without_ships"
ANY_GOODS = "harvest_any_goods"


def play_with(
    components: GoaComponents,
    journal: Journal,
    seat: Seat,
    using: int | None,
    *,
    effects: tuple[str, ...],
    action: str,
) -> Card | None:
    """Choose the action, with or without a card that names it (GO-4.1, GO-7.1).

    Return the card or None. Raise IllegalMove if the card is not in hand or names another action.
    """
    journal.record(ActionChosen(seat, action))
    if using is None:
        return None
    card = card_in_hand(components, journal.state, seat, using)
    if card.effect not in effects:
        raise IllegalMove("card_for_other_action", rule="GO-7.1", card=using, action=action)
    journal.record(CardPlayed(seat, using))
    return card


# ---- progress ----------------------------------------------------------------------------------


def progress(components: GoaComponents, journal: Journal, seat: Seat, move: Progress) -> None:
    """Move a marker down a row for the spices shown and one ship for each (GO-4.2).

    Raise IllegalMove if there is no such step or the payment is wrong.
    """
    player: GoaPlayer = journal.state.players[seat]
    cost = step_cost(components, player, move.column)
    card = play_with(components, journal, seat, move.using,
                     effects=(WITHOUT_SPICES, WITHOUT_SHIPS), action="progress")
    effect = "" if card is None else card.effect
    ships = 0 if effect == WITHOUT_SHIPS else len(cost)
    if ships > player.ships:
        raise IllegalMove("too_few_ships", rule="GO-4.2", cost=ships, ships=player.ships)
    check_payment(player, move.sacks, () if effect == WITHOUT_SPICES else cost)
    row = player.markers[COLUMNS.index(move.column)] + 1
    journal.record(MarkerMoved(seat, move.column, row, ships, move.sacks))
    reward(components, journal, seat, move.column, "progress")


def step_cost(components: GoaComponents, player: GoaPlayer, column: str) -> tuple[str, ...]:
    """Return the spices for the next step of a column.

    Raise IllegalMove if it has none (GO-4.2).
    """
    if column not in COLUMNS:
        raise IllegalMove("no_such_column", rule="GO-4.2", column=column)
    cost = next_step(components, player, column)
    if cost is None:
        raise IllegalMove("last_row", rule="GO-4.2", column=column)
    return cost


def check_payment(player: GoaPlayer, sacks: Sacks, cost: tuple[str, ...]) -> None:
    """Raise IllegalMove unless the sacks are exactly the spices shown (GO-4.2).

    The payer chooses the fields.
    """
    check_returned(player, sacks, "GO-4.2")
    for spice in dict.fromkeys((*cost, *(spice for spice, _, _ in sacks))):
        given = sum(number for kind, _, number in sacks if kind == spice)
        wanted = cost.count(spice)
        if given != wanted:
            raise IllegalMove(
                "sacks_of_spice", rule="GO-4.2", spice=spice, wanted=wanted, given=given
            )


def reward(
    components: GoaComponents, journal: Journal, seat: Seat, column: str, why: str
) -> None:
    """Give the rewards of a row: cards for the first marker, more for five in a row (GO-4.8).

    The first marker brings expedition cards, five markers bring additional action cards.
    """
    state: GoaState = journal.state
    markers = state.players[seat].markers
    row = markers[COLUMNS.index(column)]
    bonus = components.development.bonus
    first = bonus.first_in_row.get(str(row))  # type: ignore[call-overload]
    all_five = bonus.all_markers_in_row.get(str(row))  # type: ignore[call-overload]
    additional = all_five.additional_action_cards if all_five and min(markers) == row else 0
    if first is not None and is_first(state, seat, column, row):
        journal.record(FirstInRow(seat, column, row, first.expedition_cards))
        drawing.draw(components, journal, seat, first.expedition_cards, why,
                     additional_cards=additional)
    elif additional:
        journal.record(AllMarkersInRow(seat, row, additional))


def is_first(state: GoaState, seat: Seat, column: str, row: int) -> bool:
    """Tell whether no other marker of this column has reached the row (GO-4.8)."""
    place = COLUMNS.index(column)
    return all(
        player.markers[place] < row
        for other, player in enumerate(state.players) if other != seat
    )


# ---- ships, harvest, taxes ---------------------------------------------------------------------


def build_ships(components: GoaComponents, journal: Journal, seat: Seat, _: BuildShips) -> None:
    """Give as many ships as the ships column says (GO-4.3)."""
    journal.record(ActionChosen(seat, "ships"))
    journal.record(ShipsBuilt(seat, taken_by(components, journal.state.players[seat], "ships")))


def taxes(components: GoaComponents, journal: Journal, seat: Seat, _: Taxes) -> None:
    """Give as many ducats as the taxes column says (GO-4.5)."""
    journal.record(ActionChosen(seat, "taxes"))
    journal.record(TaxesTaken(seat, taken_by(components, journal.state.players[seat], "taxes")))


def harvest(components: GoaComponents, journal: Journal, seat: Seat, move: Harvest) -> None:
    """Harvest exactly the column's number of spices; fewer only if fields are short (GO-4.4).

    Raise IllegalMove if the number or the fields do not fit.
    """
    player: GoaPlayer = journal.state.players[seat]
    number = taken_by(components, player, "harvest")
    card = play_with(components, journal, seat, move.using,
                     effects=(ANY_GOODS,), action="harvest")
    check_taken(player, move.sacks, "GO-4.4")
    if card is None:
        check_plain_harvest(player, move, number)
    else:
        check_any_goods(move, number)
    journal.record(Harvested(seat, move.ships, move.colonists, move.sacks))


def check_plain_harvest(player: GoaPlayer, move: Harvest, number: int) -> None:
    """Raise IllegalMove unless the harvest is at least one spice and no other goods.

    Rules: GO-4.1, GO-4.4.
    """
    if move.ships or move.colonists:
        raise IllegalMove("goods_without_card", rule="GO-4.4")
    wanted = min(number, room_in(empty_of(player)))
    if not wanted:
        raise IllegalMove("no_empty_field", rule="GO-4.1")
    given = number_of(move.sacks)
    if given != wanted:
        raise IllegalMove("sacks_number", rule="GO-4.4", wanted=wanted, given=given)


def check_any_goods(move: Harvest, number: int) -> None:
    """Raise IllegalMove unless ships, colonists and spices sum to the harvest number (GO-7.2)."""
    given = move.ships + move.colonists + number_of(move.sacks)
    if min(move.ships, move.colonists) < 0 or given != number:
        raise IllegalMove("goods_number", rule="GO-7.2", wanted=number, given=given)


# ---- expedition --------------------------------------------------------------------------------


def expedition(components: GoaComponents, journal: Journal, seat: Seat, move: Expedition) -> None:
    """Discard first, then draw up to the column's number and the hand limit (GO-4.6).

    Raise IllegalMove if there is nothing to draw or the cards do not fit.
    """
    state: GoaState = journal.state
    question = expedition_of(components, state, seat)
    if not drawing.to_be_had(state):
        raise IllegalMove("nothing_to_draw", rule="GO-4.1")
    drawing.check_discards(state, seat, move.discard)
    journal.record(ActionChosen(seat, "expedition"))
    if move.cards is None:
        ask_for_room(journal, question, move)
        return
    drawing.check_expedition(
        move.cards, drawing.most_drawn(state, question, len(move.discard))
    )
    if move.discard:
        journal.record(RoomMade(seat, move.discard))
    drawing.take(journal, seat, move.cards, "expedition")


def expedition_of(components: GoaComponents, state: GoaState, seat: Seat) -> AwaitRoom:
    """Return how many cards the seat may draw in an expedition, and its hand limit (GO-4.6)."""
    player = state.players[seat]
    number = taken_by(components, player, "expedition")
    return AwaitRoom(seat, number, hand_limit(components, player), "expedition")


def leaves_a_choice(state: GoaState, question: AwaitRoom) -> bool:
    """Tell whether not all cards fit and there is a hand to make room in (GO-4.6)."""
    hand = state.players[question.seat].hand
    return bool(hand) and question.cards > question.limit - len(hand)


def ask_for_room(journal: Journal, question: AwaitRoom, move: Expedition) -> None:
    """Ask for room if the order names no cards and not all of them fit (GO-4.6).

    Raise IllegalMove if the order discards cards, or if all cards fit.
    """
    if move.discard:
        raise IllegalMove("too_few_cards", rule="GO-4.1", cards=0, least=1)
    if not leaves_a_choice(journal.state, question):
        raise IllegalMove("all_fit", rule="GO-4.6", cards=question.cards)
    journal.record(GoaNowAwaiting(question))
