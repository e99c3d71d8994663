"""Plays orders on the game page as a person would: by pointing, by keyboard alone, without script.

An order's text becomes the choices of the form's steps that make it; a hand makes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Protocol

Choice = tuple[str, str]  # field, value


# ---- from orders to choices --------------------------------------------------------------------


def choices_of(orders: str) -> Iterator[Choice]:
    """The choices that make these orders, of either game."""
    for order in orders.split("; "):
        word, _, rest = order.partition(" ")
        if word in ("buy", "recruit", "send", "take", "host"):
            yield "act", "take"
        yield from WORDS[word](order, rest)


def placed(order: str, rest: str) -> Iterator[Choice]:
    number, area = rest.split()
    yield from (("number", number), ("area", area))


def bought(order: str, rest: str) -> Iterator[Choice]:
    yield from (("buy", project) for project in rest.split())


def recruited(order: str, rest: str) -> Iterator[Choice]:
    if rest == "captain":
        yield "section", "captain"
        return
    section, _, who = rest.partition(": ")
    yield "section", section
    for each in who.split(", "):
        count, _, colour = each.rpartition(" ")
        yield (f"n-{colour}", count) if count else ("captain", "yes")
    yield "take", "some"


def sent_out(order: str, rest: str) -> Iterator[Choice]:
    landing, _, ships = rest.partition(": ")
    yield "to", landing
    for each in ships.split(", "):
        tile, _, slot = each.partition(">")
        yield from (("ship", tile), (f"slot-{tile}", f"{landing}:{slot}"))


def hosted(order: str, rest: str) -> Iterator[Choice]:
    who, *more = rest.split()
    yield "favour", who
    if more[:1] == ["merchant"]:
        yield "merchant", more[1]
    elif more:
        yield from (("extra-number", more[0]), ("extra-area", more[1]))


def launched(order: str, rest: str) -> Iterator[Choice]:
    tile, _, crew = rest.partition(": ")
    yield f"launch-{tile}", crew.replace(", ", ",")


def flagged(order: str, rest: str) -> Iterator[Choice]:
    yield ("edge" if " " in rest else "space"), rest


def stepped(order: str, rest: str) -> Iterator[Choice]:
    column, _, sacks = rest.partition(" from ")
    yield from (("act", "progress"), ("column", column))
    for sack in sacks.split(", ") if sacks else ():
        spice, _, place = sack.split()[0].partition("@")
        yield f"pay-{spice}-1?", place  # a list is there only where there is a choice


def harvested(order: str, rest: str) -> Iterator[Choice]:
    yield "act", "harvest"
    laid: dict[str, int] = {}
    for sack in rest.split(", "):
        what, _, number = sack.partition(" ")
        spice, _, place = what.partition("@")
        if place.isdigit():
            yield f"fill-{place}-{spice}", number or "1"
            continue
        for _each in range(int(number or 1)):
            laid[place] = laid.get(place, 0) + 1
            yield f"fill-{place}-{laid[place]}", spice


def drawn(order: str, rest: str) -> Iterator[Choice]:
    number, *cards = re.findall(r"\d+", rest)
    yield from (("act", "expedition"), ("draw", number))
    yield from (("room", card) for card in cards)


def used(order: str, rest: str) -> Iterator[Choice]:
    yield "use:", rest  # by the tile's word


def extra(order: str, rest: str) -> Iterator[Choice]:
    yield from choices_of(rest)


def one(field: str) -> Any:
    """An order that is one choice, by the rest of its words."""
    return lambda order, rest: iter([(field, rest)])


def act(order: str, rest: str) -> Iterator[Choice]:
    yield "act", order.replace(" ", "-")


WORDS = {
    "place": placed, "give": act, "buy": bought, "recruit": recruited, "send": sent_out,
    "take": one("favour"), "host": hosted, "merchant": one("merchant"), "bonus": one("bonus"),
    "launch": launched, "done": act, "flag": flagged, "marker": one("space"), "bid": one("bid"),
    "gain": one("gain"), "drop": one("drop"), "progress": stepped, "ships": act, "taxes": act,
    "harvest": harvested, "expedition": drawn, "choose": one("choose"), "pay": act, "decline": act,
    "extra": extra, "use": used,
    "found": lambda order, rest: iter([("act", "found"), ("colony", rest)]),
    "pass": lambda order, rest: iter([("bid|act", "pass")]),
    "quick": lambda order, rest: iter(
        [("quick", "ducats")] if rest == "ducats"
        else [("quick", "markers"), *(("columns", each) for each in rest.split())]),
}  # fmt: skip


# ---- hands -------------------------------------------------------------------------------------


class Hand(Protocol):
    """Who makes the choices of a form, and sends it."""

    def choose(self, page: Any, field: str, value: str) -> None:
        """Make one choice."""

    def send(self, page: Any) -> None:
        """Send the orders."""


def play(page: Any, hand: Hand, orders: str) -> None:
    """Make all choices of these orders and send them."""
    for field, value in choices_of(orders):
        if found := on_form(page, field, value):
            hand.choose(page, *found)
    token = page.locator("#order-form [name=token]").get_attribute("value")
    hand.send(page)
    page.locator(f'#order-form [name=token][value="{token}"]').wait_for(state="detached")
    assert page.locator("#refused").count() == 0, page.locator("#refused").inner_text()


def on_form(page: Any, field: str, value: str) -> Choice | None:
    """The field as this form calls it; None where it offers no choice."""
    if field == "use:":
        words = re.compile(rf"\b{value.rstrip('s')}s?\b")
        row = page.locator(".shiprow:has(input[name=use])").filter(has_text=words).first
        return "use", row.locator("input[name=use]").get_attribute("value")
    if field == "bid|act":
        field = "bid" if page.locator("[name=bid]").count() else "act"
    if field.endswith("?"):
        field = field[:-1]
        if not page.locator(f'[name="{field}"]').count():
            return None
    if field == "bid" and not page.locator(f'[name=bid][value="{value}"]').count():
        field = "higher"
    return field, value


def control(page: Any, field: str, value: str) -> Any:
    """The control of the form that makes a choice: an input, or a list."""
    lists = page.locator(f'select[name="{field}"]')
    if lists.count():
        return lists.first
    return page.locator(f'input[name="{field}"][value="{value}"]').first


def is_chosen(page: Any, field: str, value: str) -> bool:
    """Whether the form says so already."""
    return page.evaluate(
        """([field, value]) => [...document.getElementsByName(field)].some(
            (each) => each.tagName === "SELECT" ? each.value === value
            : each.value === value && each.checked)""", [field, value])


def settled(page: Any) -> None:
    """Wait for what the server says to the last choice."""
    page.locator("#order-form:not([aria-busy])").wait_for()


class WithoutScript:
    """Fills the plain form in."""

    def choose(self, page: Any, field: str, value: str) -> None:
        what = control(page, field, value)
        if what.evaluate("each => each.tagName") == "SELECT":
            what.select_option(value)
        elif not what.is_checked():
            what.press("Space")
            assert what.is_checked()

    def send(self, page: Any) -> None:
        page.locator("[form=order-form].go").click()


class Pointing:
    """Clicks on the table; on the form only where the table has no place for it."""

    def __init__(self) -> None:
        self.pointed: set[str] = set()
        self.on_form: set[str] = set()

    def choose(self, page: Any, field: str, value: str) -> None:
        settled(page)
        for _click in range(12):
            if is_chosen(page, field, value):
                return
            spot = self.spot(page, field, value)
            if spot is None:
                break
            spot.click(position={"x": 4, "y": 4})
            self.pointed.add(field)
            settled(page)
        self.on_form.add(field)
        what = control(page, field, value)
        if what.evaluate("each => each.tagName") == "SELECT":
            what.select_option(value)
        else:
            what.click()
        settled(page)

    def spot(self, page: Any, field: str, value: str) -> Any:
        """A lit place that stands for the choice, or for the next entry of its list."""
        at = page.evaluate(
            """([field, value, section]) => [...document.querySelectorAll(".spot")].findIndex(
                (spot) => spot.matches(".lit:not([aria-hidden])") && (
                  (spot.dataset.pick.split("|").some((pick) => pick === `${field}=${value}`
                    || (pick.startsWith(field + "+")
                      && (spot.getAttribute("aria-pressed") !== "true" || !/^\\d+$/.test(value))
                      && value.startsWith(pick.slice(field.length + 1)))))
                  || (!spot.dataset.pick && spot.dataset.else === `${field}=${value}`))
                && (!section || !spot.dataset.also?.startsWith("section=")
                  || spot.dataset.also.startsWith(`section=${section}&`)))""",
            [field, value, section_of(page)])
        return None if at < 0 else page.locator(".spot").nth(at)

    def send(self, page: Any) -> None:
        settled(page)
        page.locator("[form=order-form].go").click()


def section_of(page: Any) -> str:
    """The section that is chosen, if sections are to be chosen."""
    return page.evaluate("document.querySelector('[name=section]:checked')?.value || ''")


class Keyboard:
    """Presses keys, from the skip link on; touches nothing else."""

    def __init__(self) -> None:
        self.pages: set[str] = set()

    def choose(self, page: Any, field: str, value: str) -> None:
        settled(page)
        if is_chosen(page, field, value):
            return
        self.tab_to(page, field, value)
        kind = page.evaluate("document.activeElement.type")
        is_there = page.evaluate("document.activeElement.value") == value
        if kind == "checkbox" or (kind == "radio" and is_there):
            page.keyboard.press("Space")
        else:
            for _key in range(80):
                if page.evaluate("document.activeElement.value") == value:
                    break
                page.keyboard.press("ArrowDown")
            else:
                raise AssertionError(f"{field} has no {value}")
        settled(page)
        assert is_chosen(page, field, value), (field, value)

    def tab_to(self, page: Any, field: str, value: str) -> None:
        """Go on to the field by Tab, or back to it by Shift+Tab."""
        key = page.evaluate(
            """([field, value]) => {
                const found = [...document.getElementsByName(field)].find(
                    (each) => each.type !== "checkbox" || each.value === value);
                const where = document.activeElement.compareDocumentPosition(found);
                return where & Node.DOCUMENT_POSITION_PRECEDING ? "Shift+Tab" : "Tab";
            }""", [field, value])
        for _key in range(400):
            name, kind, said, skips = page.evaluate(
                "(({name, type, value, classList}) => [name, type, value,"
                " classList.contains('skip')])(document.activeElement)")
            if name == field and (kind != "checkbox" or said == value):
                return
            if skips and key == "Tab":
                page.keyboard.press("Enter")
            page.keyboard.press(key)
        raise AssertionError(f"Tab does not reach {field}")

    def send(self, page: Any) -> None:
        settled(page)
        for _key in range(400):
            if page.evaluate("document.activeElement.matches('[form=order-form].go')"):
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
