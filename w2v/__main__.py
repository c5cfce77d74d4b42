"""Run the command line as ``python -m w2v``."""

from w2v.cli import main

if __name__ == "__main__":
    main(prog_name="python -m w2v")
