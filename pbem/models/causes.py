"""Causes of log entries: what made an entry, as the log, the record and its readers name it."""

from __future__ import annotations

AUTOMATIC = frozenset({"forced", "bot", "default"})
"""Causes of moves that no person's will is behind: they go back with the orders before them."""
CHOSEN = frozenset({"order", "standing"})
"""Causes of moves that a player wanted: sent as orders, or ordered ahead."""
SENT = frozenset({"order", "resign", "handover", "seated"})
"""Causes of entries that a player made himself just then: he knows what was before them."""
BACK = frozenset({"undo", "agreed"})
"""Causes of entries that put an earlier question anew: one's own orders, or by consent of all."""
LEFT = frozenset({"resign", "dropped", "handover"})
"""Causes of entries by which a seat loses its player; `seated` gives it a new one."""
MOVED_ON = "ruleset"
"""The cause of the entry by which a game moves on to newer rules, as all have agreed; its note says
`from` which `to` which, and it is the first one under these."""
NOTES = BACK | LEFT | {"seated", "overtime", "outage", "pause", "resume", MOVED_ON}
"""Causes of entries that move nothing. `overtime`: a clock has run out; `outage`: all clocks got
the length of a failure back (`seconds` in its note); `pause`, `resume`: the clocks stand."""
PASSING = frozenset({"outage", "pause", "resume"})
"""Notes about the clocks alone: a taking back may reach over them."""
CAUSES = AUTOMATIC | CHOSEN | NOTES | {"start"}
