"""Lists every refusal of Vasco da Gama by key, with the names of its values.

The words files must have a text for each. Values are whole numbers, or words as orders write them
(areas, landings, colours, tile ids).
"""

from __future__ import annotations

REFUSALS: dict[str, tuple[str, ...]] = {
    # the driver's
    "game_over": (),
    "not_your_turn": (),
    "wrong_order": (),  # not an answer to the open question; cites the question's rule
    "other_area": ("number", "area"),  # the called disc lies in another area
    "too_few_reals": ("cost", "right", "action", "reals"),  # cost = right + action; VG-3.3
    # placing
    "no_such_number": ("number",),
    "number_taken": ("number",),
    "no_such_area": ("area",),
    "area_full": ("area", "slots"),
    "no_disc_left": ("number",),  # only the additional disc is left
    "no_additional_disc": ("number",),  # 21 and 22 are for Manuel's owner, once
    "number_called": ("number",),  # ahead: no disc of the seat is called with it
    # projects and launching
    "not_on_offer": ("project",),
    "too_many_projects": ("count", "most"),
    "named_twice": ("project",),
    "out_of_order": (),  # not in the canonical order
    "gabriel_gone": (),
    "gabriel_alone": ("project",),  # it is bought alone
    "not_your_project": ("project",),
    "crew_size": ("project", "crew", "given"),
    "crew_colours": ("project",),  # colours must differ
    "crew_missing": ("project", "colour"),
    "launches_ended": (),
    # recruiting
    "no_such_section": ("section", "sections"),
    "no_such_sailors": ("section", "colour", "wanted", "there"),
    "nothing_recruited": (),
    "no_captain_waiting": (),
    # expedition, merchant ships
    "no_such_landing": ("landing",),
    "no_ship_named": (),
    "not_your_ship": ("project",),  # it is not launched, or does not belong to the seat
    "too_few_captains": ("ships", "captains"),
    "no_such_slot": ("landing", "slot"),
    "slot_taken": ("landing", "slot"),
    "slot_above_limit": ("landing", "slot", "limit"),
    # bonuses
    "no_such_sailor": ("section", "colour"),
    "bag_empty": (),
    # characters
    "no_such_space": ("space",),
    "money_gone": ("space",),
    "no_such_character": ("character",),
    "already_hosted": ("character",),
    "disc_to_place": (),  # host manuel needs number and area
    "no_disc_to_place": (),  # host manuel without number and area
}
