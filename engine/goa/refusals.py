"""Lists every refusal of Goa by key, with the names of its values.

The words files must have a text for each. Values are whole numbers, or words as orders write them
(spaces, columns, colonies, tiles).
"""

from __future__ import annotations

REFUSALS: dict[str, tuple[str, ...]] = {
    # the driver's
    "game_over": (),
    "not_your_turn": (),
    "wait_not_last": (),  # orders follow `wait`
    "wait_alone": (),
    "wrong_order": (),  # not an answer to the open question; cites the question's rule
    # quick start, placing
    "no_such_column": ("column",),
    "quick_columns": ("count",),  # exactly so many different columns, in their order
    "no_such_space": ("space",),
    "space_taken": ("space",),  # the flag needs an empty space
    "no_tile_beside": ("space",),  # the flag needs a tile beside it
    "no_tile_there": ("space",),
    "marker_there": ("space",),
    "not_beside_path": ("space", "last"),  # not adjacent to the marker or flag last placed
    # auctions
    "bid_too_low": ("bid", "high"),
    "bid_above_purse": ("bid", "purse"),
    "no_such_lot": ("lot", "lots"),  # ahead; lots are numbered from 1
    "lot_sold": ("lot",),
    "lot_spoken": ("lot",),  # the seat has bid or passed for it
    "auction_over": (),
    # money, cards, spices: shared
    "too_few_ducats": ("cost", "ducats"),
    "not_in_hand": ("card",),
    "named_twice": ("card",),
    "out_of_order": (),  # not in the canonical order
    "no_such_place": ("place",),
    "no_such_spice": ("spice",),
    "nothing_there": ("place",),  # no plantation or colony is in that place
    "too_few_sacks": ("spice", "place", "wanted", "there"),
    "too_few_fields": ("place", "wanted", "empty"),
    "spice_not_held": ("spice", "place"),  # those fields may not hold it
    "sacks_number": ("wanted", "given"),  # exactly so many sacks
    "sacks_at_most": ("most", "given"),  # one to so many sacks
    "sacks_of_spice": ("spice", "wanted", "given"),  # a payment's spices
    # room in hand
    "too_many_cards": ("cards", "most"),
    "too_few_cards": ("cards", "least"),
    "nothing_to_draw": (),  # deck and discard pile are empty
    "all_fit": ("cards",),  # all cards fit, so the order must give their number
    # actions
    "last_row": ("column",),
    "too_few_ships": ("cost", "ships"),
    "goods_without_card": (),
    "goods_number": ("wanted", "given"),  # any goods: exactly so many in all
    "no_empty_field": (),
    "no_such_colony": ("colony",),
    "colony_owned": ("colony",),
    "no_colony_left": ("colony",),
    "too_few_colonists": ("difference", "colonists"),
    "no_such_colony_tile": ("tile", "colony"),  # none left, or of another colony
    "colony_spices": ("fields", "given"),
    "may_not_pass_cards": ("cards", "kept"),  # GO-6.1
    "may_not_pass_turn": (),  # a card or tile of this turn forbids it
    # expedition cards
    "card_played_already": (),
    "card_for_action": ("card", "action"),  # an A card; action: the one that it names
    "card_for_other_action": ("card", "action"),  # using: the action that is taken
    "card_takes_no_sacks": ("card",),
    "card_takes_no_column": ("card",),
    "card_needs_column": ("card",),
    # tiles
    "no_such_goods": ("goods",),
    "no_tile_of_kind": ("kind",),  # ship, ducats, colonist, spice, duty, harvest, trade
    "used_this_round": ("kind",),
    "not_your_tile": ("tile",),
    "tile_used_otherwise": ("tile",),  # not by `use TILE`
    "drop_needed": ("tile",),
    "no_drop_needed": ("tile",),
    "no_plantation_there": ("place",),
    "goods_needed": ("tile",),
    "no_goods_choice": ("tile",),
    "harvest_places": ("most", "given"),
    "place_full": ("place",),
    "place_named_twice": ("place",),
    "filling_spices": ("place", "wanted", "given"),  # a spice for each empty field of a colony
}
