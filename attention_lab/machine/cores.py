"""How many processor cores this process may use."""

from __future__ import annotations

import os


def available_cores() -> int:
    """Cores of the process's affinity mask; where the system has none, the cores of the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
