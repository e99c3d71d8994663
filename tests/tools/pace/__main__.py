"""`make pace`: 200 games of four of each kind, and what they cost in letters."""

from tests.tools.pace.report import main

main()
