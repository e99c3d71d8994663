"""Which phrase fits a game's fact, question or move, and which values stand in it."""
