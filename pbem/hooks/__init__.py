"""Web hooks: players' URLs that get a signed POST when it is their turn."""
