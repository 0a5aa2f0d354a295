"""The way in: `attn-lab`, or `python -m attention_lab`."""

import sys


def main() -> None:
    """Run the command; Ctrl-C while it is still being imported ends it as quietly as later."""
    try:
        from attention_lab.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
