"""`make pace`: 200 games of four of each kind, and what they cost in letters."""

from tests.pace.report import main

main()
