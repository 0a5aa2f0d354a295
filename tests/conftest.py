from __future__ import annotations

from hypothesis import settings

# The same examples in every run and no database on disk: a failure seen once is seen again, and nothing is left behind.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")
