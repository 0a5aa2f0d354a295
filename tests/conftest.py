from __future__ import annotations

import os

from hypothesis import settings

# Tests run in as many processes as there are cores; threads inside each would only fight. numpy is not loaded yet here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The same examples in every run and no database on disk: a failure seen once is seen again, and nothing is left behind.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")
