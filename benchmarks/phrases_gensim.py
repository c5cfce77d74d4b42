"""One run of gensim's phrases in a process of its own; takes and prints what phrases_ours.py does."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

from gensim.models.phrases import Phrases
from measuring import Stretch, keep_to_cores, peak_rss


class Lines:
    """Sentences of a file, split at blanks; counts their words. gensim's LineSentence cuts them at 10,000 words."""

    def __init__(self, path):
        self.path = path
        self.words = 0

    def __iter__(self):
        self.words = 0
        with Path(self.path).open(encoding="utf-8", newline="\n") as file:
            for line in file:
                sentence = line.split()
                self.words += len(sentence)
                yield sentence


def main(corpus, out, scoring, passes):
    keep_to_cores(1)
    if passes != 1:
        raise SystemExit("one pass only: gensim counts the second one in another way")
    lines = Lines(corpus)
    options = {"scoring": "npmi", "threshold": 0.5} if scoring == "npmi" else {}
    with Stretch() as learn:
        model = Phrases(lines, min_count=5, **options)
        phraser = model.freeze()
    with Stretch() as join, Path(out).open("w", encoding="utf-8") as file:
        for sentence in lines:
            file.write(" ".join(phraser[sentence]) + "\n")
    return {
        "program": f"gensim {version('gensim')}",
        "words": lines.words,
        "learn": learn.to_dict(),
        "join": join.to_dict(),
        "peak_rss": peak_rss(),
        "phrases": dict(phraser.phrasegrams),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))))
