"""Causes of log entries, as the log, the record and their readers name them."""

from __future__ import annotations

AUTOMATIC = frozenset({"forced", "bot", "default"})
"""Causes of moves that nobody chose: they are undone with the orders before them."""
CHOSEN = frozenset({"order", "standing"})
"""Causes of moves that a player chose: sent as orders, or ordered ahead."""
SENT = frozenset({"order", "resign", "handover", "seated"})
"""Causes of entries that a player made at that moment, so that they know what came before."""
BACK = frozenset({"undo", "agreed"})
"""Causes of entries that undo others: a player's own orders, or by consent of all."""
LEFT = frozenset({"resign", "dropped", "handover"})
"""Causes of entries by which a seat loses its player; `seated` gives it a new one."""
MOVED_ON = "ruleset"
"""The cause of the entry that changes a game to newer rules. Its note has both rulesets (`from`,
`to`), and it is the first entry under the new one."""
NOTES = BACK | LEFT | {"seated", "overtime", "outage", "pause", "resume", MOVED_ON}
"""Causes of entries that move nothing. `overtime`: a clock has run out. `outage`: clocks got the
length of an outage back (`seconds` in its note). `pause`, `resume`: of all clocks."""
PASSING = frozenset({"outage", "pause", "resume"})
"""Notes about clocks only: an undo may go back beyond them."""
CAUSES = AUTOMATIC | CHOSEN | NOTES | {"start"}
