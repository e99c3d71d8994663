"""Games and nothing else: no web, database, mail, clock, thread or global randomness."""
