"""Goa: the contract of engine/api.py by delegation; rules live in their section's module."""
