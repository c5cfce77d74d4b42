"""w2v beside gensim alone, without the exact loss: `peers.py` with these two programs, and the same options.

The program to call is ``python benchmarks/versus_gensim.py corpus.txt --python-gensim peers/bin/python``.
"""

from peers import GENSIM, OURS, OURS_TWO, main

if __name__ == "__main__":
    main(programs=[OURS, GENSIM, OURS_TWO], exact_loss=False)
