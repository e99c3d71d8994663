"""The steps of a called action: take it or give it up, then what its area offers (VG-3 to VG-6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.vasco_da_gama.state import AREAS, SAILORS, SPACES, AwaitAction
from engine.vasco_da_gama.view import LandingView, PlayerView, TableView
from pbem.web.forms import Option, Reader, Row, Select, Step
from pbem.web.vasco_da_gama.pieces import (
    bonus_in_words,
    favour_in_words,
    has_placed_additional,
    landing_name,
    launchable,
    project_in_words,
    ship_in_words,
)

TAKE = "act=take"



def action(view: TableView, me: PlayerView, reader: Reader) -> Iterator[Step]:
    """Take the action or give it up, then what the area offers (VG-3.2 to 3.4)."""
    question = view.question
    assert isinstance(question, AwaitAction)  # noqa: S101
    purse = me.reals - question.price
    steps = tuple(ACTIONS[question.area](view, me, reader, purse)) if purse >= 0 else ()
    why_not = why_no_action(steps, purse, question, reader)
    yield Step(
        title=reader.say("The action"), name="act", kind="radio",
        options=(
            Option("take", reader.say("Take it: %(what)s",
                                      what=reader.term(f"act_{question.area}")),
                   sub=price_in_words(view, question, reader), rule="VG-3.3",
                   end=reader.say("pay") if question.price else reader.say("free"),
                   coin=question.price or None, why_not=why_not),
            Option("give-up", reader.say("Give it up"), sub=reader.say("for the Reals of its row"),
                   rule="VG-3.4", end=reader.say("get") if question.gain else
                   reader.say("nothing"), coin=question.gain or None),
        ),
    )
    if not why_not:
        yield from steps


def price_in_words(view: TableView, question: AwaitAction, reader: Reader) -> str:
    """Why the right to the action costs what it costs."""
    if question.price:
        return reader.say("%(number)s is %(below)s below the first free number %(free)s",
                          number=question.number, below=question.price, free=view.marker)
    return reader.say("free from %(free)s", free=view.marker)


def why_no_action(
    steps: Sequence[Step], purse: int, question: AwaitAction, reader: Reader
) -> str:
    """Why the action cannot be taken; empty if it can (VG-3.3)."""
    if purse < 0:
        return reader.say("it costs %(price)s, you have %(reals)s",
                          price=reader.count("real", question.price),
                          reals=reader.count("real", purse + question.price))
    if all(option.why_not for step in steps[:1] for option in step.options):
        return reader.say("nothing in it can be had now")
    return ""


def expedition(view: TableView, me: PlayerView, reader: Reader, purse: int) -> Iterator[Step]:
    """A landing, then ships and their slots (VG-5.1, VG-5.2)."""
    fleet = [*me.ships, *launchable(me)] if me.captains else []
    reach = max((tile.limit for tile in fleet), default=0)
    yield Step(title=reader.say("The landing"), name="to", kind="radio", when=TAKE,
               options=tuple(landing_option(landing, reach, me, reader)
                             for landing in reversed(view.landings)))
    open_landings = [landing for landing in reversed(view.landings) if landing.empty]
    rows = tuple(
        Row(Option(tile.id, tile.id, sub=ship_in_words(tile, reader, ready=tile in me.ships)),
            (Select(f"slot-{tile.id}", reader.say("slot"),
                    slot_groups(open_landings, tile.limit, reader)),))
        for tile in fleet
    )
    yield Step(title=reader.say("Ships and their slots"), name="ship", kind="rows", rows=rows,
               when=TAKE, rule="VG-5.1",
               hint=reader.say("Each ship takes 1 captain; you have %(captains)s. Without a slot "
                               "a ship takes the best one within its limit.",
                               captains=me.captains))


def landing_option(
    landing: LandingView, reach: int, me: PlayerView, reader: Reader
) -> Option:
    """A landing with the slots within reach, or why none is."""
    within = [slot.label for slot in landing.empty if slot.value <= reach]
    why_not = ""
    if landing.complete:
        why_not = reader.say("complete, no empty slot")
    elif not me.captains:
        why_not = reader.say("you have no captain")
    elif not reach:
        why_not = reader.say("you have no ship ready")
    elif not within:
        why_not = reader.say("too far for your ships")
    return Option(landing.word, landing_name(landing, reader), sub=bonus_in_words(landing, reader),
                  end=", ".join(within), why_not=why_not)


def slot_groups(
    landings: Sequence[LandingView], limit: int, reader: Reader
) -> dict[str, Sequence[tuple[str, str]]]:
    """The slots within a limit, by landing."""
    groups: dict[str, Sequence[tuple[str, str]]] = {"": (("", reader.say("the best")),)}
    for landing in landings:
        slots = tuple((f"{landing.word}:{slot.label}", slot.label)
                      for slot in landing.empty if slot.value <= limit)
        if slots:
            groups[landing_name(landing, reader)] = slots
    return groups


def recruiting(view: TableView, me: PlayerView, reader: Reader, purse: int) -> Iterator[Step]:
    """A section, how many of each colour, and a captain (VG-4.4)."""
    prices = view.figures.sailor_prices
    options = [section_option(place, sailors, prices, purse, reader)
               for place, sailors in enumerate(view.sections, 1)]
    no_captain = "" if me.captains_waiting else reader.say("all your captains are with you")
    options.append(Option("captain", reader.say("Only a captain"), end=reader.say("free"),
                          why_not=no_captain))
    yield Step(title=reader.say("The section"), name="section", kind="radio", when=TAKE,
               options=tuple(options), rule="VG-4.4")
    most = [max((section[i] for section in view.sections), default=0) for i in range(len(SAILORS))]
    yield Step(
        title=reader.say("The sailors"), name="take", kind="rows", when=TAKE, rule="VG-4.4",
        rows=(
            Row(None, (Select("take", reader.say("Take"), {"": (
                ("all", reader.say("all of the section")),
                ("some", reader.say("only these:")))}),)),
            Row(None, tuple(
                Select(f"n-{colour}", reader.term(f"colour_{colour}"),
                       {"": tuple((str(n), str(n)) for n in range(most[i] + 1))})
                for i, colour in enumerate(SAILORS) if most[i])),
        ),
        hint=reader.say("Colours cost, however many sailors: %(prices)s.",
                        prices=", ".join(f"{n}: {reader.count('real', price)}"
                                         for n, price in enumerate(prices) if n)),
    )
    yield Step(
        title=reader.say("A captain"), name="captain", kind="check", when=TAKE, rule="VG-4.4",
        options=(Option("yes", reader.say("Take 1 captain as well"),
                        sub=reader.say("%(price)s for each sailor taken",
                                       price=reader.count("real", view.figures.captain_price)),
                        why_not=no_captain),),
    )


def section_option(
    place: int, sailors: Sequence[int], prices: Sequence[int], purse: int, reader: Reader
) -> Option:
    """A section, who is in it, and what all of them cost."""
    colours = sum(1 for n in sailors if n)
    who = ", ".join(f"{reader.term(f'colour_{colour}')} {n}"
                    for colour, n in zip(SAILORS, sailors, strict=True) if n)
    why_not = ""
    if not colours:
        why_not = reader.say("empty")
    elif purse < prices[1]:
        why_not = reader.say("costs %(price)s at least", price=reader.count("real", prices[1]))
    return Option(str(place), reader.say("Section %(place)s", place=place), sub=who,
                  end=reader.say("all for") if colours else "",
                  coin=prices[colours] if colours else None, why_not=why_not)


def projects(view: TableView, me: PlayerView, reader: Reader, purse: int) -> Iterator[Step]:
    """One or two upper projects, or the São Gabriel project (VG-4.1, VG-4.2)."""
    prices = view.figures.project_prices
    too_dear = reader.say("costs %(price)s", price=reader.count("real", prices[0]))
    options = [
        Option(tile.id, tile.id, sub=project_in_words(tile, reader), coin=prices[0],
               why_not="" if purse >= prices[0] else too_dear)
        for tile in view.offer if tile is not None
    ]
    if view.gabriel is not None:
        tile = view.gabriel
        options.append(Option(
            "gabriel", f"São Gabriel, {tile.id}", coin=tile.crew, rule="VG-4.2",
            sub=project_in_words(tile, reader) + "; " + reader.say("launched at once"),
            why_not="" if purse >= tile.crew else reader.say(
                "costs %(price)s", price=reader.count("real", tile.crew)),
        ))
    yield Step(title=reader.say("What to buy"), name="buy", kind="check", when=TAKE,
               options=tuple(options), rule="VG-4.1",
               hint=reader.say("One upper project costs %(one)s, two cost %(two)s together; the "
                               "São Gabriel project is bought alone.",
                               one=reader.count("real", prices[0]),
                               two=reader.count("real", prices[1])))


def characters(view: TableView, me: PlayerView, reader: Reader, purse: int) -> Iterator[Step]:
    """One of the money amounts, or a character that no disc hosts (VG-6.1)."""
    money = [
        Option(space, reader.say("Take %(reals)s", reals=reader.count("real", reals)),
               sub=reader.term(f"space_{space}"), coin=reals)
        for space, reals in zip(SPACES, view.money, strict=True) if reals is not None
    ]
    people = [
        Option(character.key, reader.say("Host %(name)s",
                                         name=reader.term(f"character_{character.key}")),
               sub=favour_in_words(character.key, view, reader),
               end=reader.name(character.owner),
               why_not="" if character.host is None else
               reader.say("hosted by %(name)s", name=reader.name(character.host)))
        for character in view.characters
    ]
    yield Step(title=reader.say("Money or a character"), name="favour", kind="radio", when=TAKE,
               options=(*money, *people), rule="VG-6.1")
    hosted = {character.key: character.host is not None for character in view.characters}
    if view.merchant is not None and not hosted["sernigi"]:
        yield Step(title=reader.say("Sernigi: the merchant ship"), name="merchant", kind="rows",
                   when="favour=sernigi", rule="VG-6.5",
                   rows=(Row(None, (merchant_select(view, reader),)),))
    if not hosted["manuel"] and not has_placed_additional(view, me):
        yield from manuel_steps(view, reader)


def manuel_steps(view: TableView, reader: Reader) -> Iterator[Step]:
    """The additional disc: 21 or 22, and an area (VG-6.2)."""
    free = tuple((str(n.number), str(n.number))
                 for n in view.numbers if not n.ordinary and n.disc is None)
    areas = tuple((area, reader.term(f"area_{area}")) for area in AREAS
                  if view.area(area).free + (area == "characters") > 0)
    yield Step(title=reader.say("Manuel: the additional disc"), name="extra", kind="rows",
               when="favour=manuel", rule="VG-6.2",
               rows=(Row(None, (
                   Select("extra-number", reader.say("number"), {"": (("", "–"), *free)}),
                   Select("extra-area", reader.say("area"), {"": (("", "–"), *areas)}),
               )),))


def merchant_select(view: TableView, reader: Reader) -> Select:
    """Later, or a slot that takes the merchant ship now."""
    groups: dict[str, Sequence[tuple[str, str]]] = {
        "": (("", reader.say("later, before navigation")),)}
    for landing in reversed(view.landings):
        slots = tuple((f"{landing.word}>{slot.label}", slot.label)
                      for slot in landing.empty if slot.value <= (view.merchant or 0))
        if slots:
            groups[landing_name(landing, reader)] = slots
    return Select("merchant", reader.say("slot"), groups)


ActionSteps = Callable[[TableView, PlayerView, Reader, int], Iterator[Step]]
ACTIONS: Mapping[str, ActionSteps] = {
    "navigation": expedition,
    "recruiting": recruiting,
    "projects": projects,
    "characters": characters,
}
