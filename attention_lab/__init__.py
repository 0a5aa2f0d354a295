"""Understand attention by breaking it."""

__version__ = "0.1.0"
