"""Free memory of this machine, checked before a demo allocates it."""

from __future__ import annotations

import os
from pathlib import Path

from attention_lab.errors import TooLarge

# environment variables that limit the threads of the libraries under NumPy
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def available_memory() -> int | None:
    """Bytes that can be allocated now; the installed memory where the system does not say; else None."""
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None


def format_bytes(amount: float) -> str:
    """Bytes with a unit: "67.1 MB", where MB = 10^6 as in the documents."""
    for unit, worth in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if amount >= worth:
            return f"{amount / worth:.1f} {unit}"
    return f"{amount:.0f} bytes"


def require_memory(needed: float, what: str, advice: str) -> None:
    """Raise TooLarge when `needed` bytes are more than there are; `what` names the option and its value."""
    there = available_memory()
    if there is not None and needed > there:
        raise TooLarge(f"{what} needs {format_bytes(needed)} of memory; {format_bytes(there)} are free.", advice)
