"""One training by gensim in a process of its own; takes and prints what train_ours.py does.

corpus_file mode, gensim's fastest: one thread reads, counts and trains in compiled code.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from gensim.models import Word2Vec
from measuring import Stretch, keep_to_cores, peak_rss


def main(job):
    keep_to_cores(job["cores"])
    training, context = job["training"], job["context"]
    model = Word2Vec(
        sg=1,
        hs=0,
        vector_size=training["vector_size"],
        negative=training["negative"],
        ns_exponent=training["ns_exponent"],
        alpha=training["alpha"],
        min_alpha=training["min_alpha"],
        seed=training["seed"],
        workers=training["workers"],
        epochs=training["epochs"],
        window=context["window"],
        shrink_windows=context["shrink_windows"],
        sample=context["sample"],
        min_count=job["corpus_settings"]["min_count"],
        max_final_vocab=job["corpus_settings"].get("max_vocab"),
    )
    with Stretch() as scan:
        model.build_vocab(corpus_file=job["corpus"])
    with Stretch() as train:
        model.train(
            corpus_file=job["corpus"],
            total_examples=model.corpus_count,
            total_words=model.corpus_total_words,
            epochs=model.epochs,
        )
    out = Path(job["out"])
    words = model.wv.index_to_key
    np.save(out / "W.npy", model.wv.vectors)
    np.save(out / "C.npy", model.syn1neg)
    vocabulary = {"words": words, "counts": [int(model.wv.get_vecattr(word, "count")) for word in words]}
    (out / "vocabulary.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    return {
        "program": f"gensim {version('gensim')}, numpy {version('numpy')}",
        "tokens": model.corpus_total_words,
        "words_trained": model.corpus_total_words * model.epochs,
        "vocabulary": len(words),
        "matrix_bytes": 2 * model.wv.vectors.nbytes,
        "scan": scan.to_dict(),
        "train": train.to_dict(),
        "peak_rss": peak_rss(),
    }


if __name__ == "__main__":
    print(json.dumps(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
