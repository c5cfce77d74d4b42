"""Run the command line from a checkout: ``python cli.py train corpus.txt``. Never installed."""

from w2v.cli import main

if __name__ == "__main__":
    main()
