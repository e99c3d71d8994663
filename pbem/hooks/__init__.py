"""Web hooks: addresses of players that are told by a signed POST when it is their turn."""
