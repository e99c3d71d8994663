"""The operators' tools: see what is stuck, help people, and log each act."""
