"""``python -m discreet`` is the command ``discreet``."""

from discreet.cli import main

if __name__ == "__main__":
    main(prog_name="discreet")
