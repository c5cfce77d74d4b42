"""One run of w2v's phrases in a process of its own: learn, and write the joined text; prints figures as JSON."""

import json
import sys
import tempfile
from pathlib import Path

from measuring import Stretch, keep_to_cores, peak_rss
from parts import write_bytes

import w2v
from w2v.corpus.phrases.text import LearnedText
from w2v.settings import CorpusSettings, PhraseSettings


def run(corpus, out, scoring, passes):
    settings = PhraseSettings(scoring=scoring, passes=passes)
    with Stretch() as learn:
        text = LearnedText.of_files([corpus], settings, (), CorpusSettings(), memory_bytes=1 << 28)
    with text, Stretch() as join, Path(out).open("wb") as file:
        joined = text.write(file.write)
    return text, joined, learn, join


def main(corpus, out, scoring, passes):
    keep_to_cores(1)
    with tempfile.TemporaryDirectory() as folder:  # what is compiled, is compiled before
        few = Path(folder) / "few.txt"
        write_bytes(Path(corpus), 4_000_000, few)
        run(str(few), str(Path(folder) / "joined.txt"), scoring, passes)
    text, joined, learn, join = run(corpus, out, scoring, passes)
    phrases = [phrase for outcome in text.learner.outcomes for phrase in outcome.phrases]
    return {
        "program": f"w2v {w2v.__version__}",
        "words": joined.words,
        "learn": learn.to_dict(),
        "join": join.to_dict(),
        "peak_rss": peak_rss(),
        "phrases": {phrase.text: phrase.score for phrase in phrases},
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))))
