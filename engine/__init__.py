"""The rules of games, without web, database, mail, clock, thread or global randomness."""
