"""The way in: `attn-lab`, or `python -m attention_lab`."""

import os
import signal
import sys


def main() -> None:
    """Run the command; Ctrl-C while it is still being imported ends it as quietly as later."""
    try:
        if {"_ARGCOMPLETE", "COMP_LINE", "COMP_POINT"} <= os.environ.keys():  # a shell asks what could be typed next
            from attention_lab.commands.completion import complete

            complete()
        from attention_lab.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt but the interpreter's own end


if __name__ == "__main__":
    main()
