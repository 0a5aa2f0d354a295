"""`python -m attention_lab` is `attn-lab`."""

from attention_lab.cli import main

if __name__ == "__main__":
    main()
