"""Vasco da Gama's part of the game page: steps, order lines, chart, what a preview changes."""
