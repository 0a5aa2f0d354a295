"""What tests and the processes that they start find around them: the same on every machine, whoever starts the tests.

A test of one of these things sets it itself.
"""

from __future__ import annotations

import locale
import signal
import site
from collections.abc import MutableMapping
from contextlib import suppress
from pathlib import Path

HOMES = ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA")
UNSET = (
    # what rich and argparse ask about the terminal
    *("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "TTY_INTERACTIVE"),
    # how Python reads, writes and warns
    *("PYTHONIOENCODING", "PYTHONUTF8", "PYTHONWARNINGS", "PYTHONINSPECT", "PYTHONVERBOSE", "PYTHONSTARTUP"),
    *("PYTHONDEVMODE", "PYTHONSAFEPATH", "PYTHONPROFILEIMPORTTIME", "PYTHONNODEBUGRANGES"),
    # pytest's own, for tests that run pytest; what Jupyter and a shell that completes words set
    *("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "IPYTHONDIR", "JUPYTER_CONFIG_DIR"),
    *("_ARGCOMPLETE", "COMP_LINE", "COMP_POINT", "PS4", "BASH_ENV"),
)
# Python ignores some signals by itself, and gives them back to processes that it starts; others are a terminal's.
LEFT_ALONE = ("SIGPIPE", "SIGXFSZ", "SIGXFZ", "SIGTSTP", "SIGTTIN", "SIGTTOU")


def set_default_variables(environment: MutableMapping[str, str]) -> None:
    """Remove the user's preferences from an environment, and set terminal, encoding and one thread a process."""
    for name in UNSET:
        environment.pop(name, None)
    for name in [name for name in environment if name == "LANGUAGE" or name.startswith("LC_")]:
        del environment[name]
    environment.update(LANG="C.UTF-8", TERM="xterm-256color")
    environment.setdefault("OPENBLAS_NUM_THREADS", "1")  # tests run in as many processes as there are cores
    environment.setdefault("PYTHONUSERBASE", site.getuserbase())  # where packages are found also from another home


def set_home(environment: MutableMapping[str, str], home: Path) -> None:
    """Let this folder be the home: nothing is read from the user's own or left there."""
    environment.update(dict.fromkeys(HOMES, str(home)))


def set_default_locale() -> None:
    """Let this process read and write UTF-8, as those do that it starts."""
    for name in ("C.UTF-8", "en_US.UTF-8"):
        with suppress(locale.Error):
            locale.setlocale(locale.LC_ALL, name)
            return


def set_default_signals() -> None:
    """Let processes that tests start be ended by every signal, also where this one is deaf to some of them.

    A shell has its background jobs ignore SIGINT, and nohup SIGHUP; a process inherits that, and which signals are
    blocked. A handler that does nothing leaves this process as deaf, but is not inherited.
    """
    left_alone = {getattr(signal, name, None) for name in LEFT_ALONE}
    for number in signal.valid_signals() - left_alone:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
