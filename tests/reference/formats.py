"""File formats: those of word2vec, and the n-grams of fastText's models."""

import numpy as np


def write_text(words, W, header=True):
    """Return the bytes of the text format: ``V d`` line (unless GloVe's way), then ``word x_1 ... x_d`` lines."""
    W = np.asarray(W, dtype=np.float32)
    lines = [f"{W.shape[0]} {W.shape[1]}"] if header else []
    for word, row in zip(words, W, strict=True):
        lines.append(" ".join([word, *(str(x) for x in row)]))
    return "".join(line + "\n" for line in lines).encode()


def read_text(data, header=True):
    """Return words and W (V, d) float32 of the text format.

    Lines end at newlines only. The last d fields, parted by single spaces, are numbers; what stands before is the word,
    spaces and all. A space or carriage return at the end of a line is dropped. Without a header d is taken from the
    first line, whose word then holds no space.
    """
    lines = [line.rstrip(b" \r") for line in data.split(b"\n")]
    if lines and not lines[-1]:
        lines.pop()
    if header:
        V, d = (int(field) for field in lines.pop(0).split())
    else:
        V, d = len(lines), len(lines[0].split(b" ")) - 1
    if len(lines) != V:
        raise ValueError(f"{V} rows promised, {len(lines)} found")
    words, rows = [], []
    for line in lines:
        word, *numbers = line.rsplit(b" ", d)
        words.append(word.decode())
        rows.append([float(number) for number in numbers])
    return words, np.array(rows, dtype=np.float32).reshape(V, d)


def write_binary(words, W, newline=True):
    """Return the bytes of the binary format: ``V d`` line, then word, space, d little-endian float32, newline or not.

    word2vec.c ends each row with a newline, others do not.
    """
    W = np.asarray(W, dtype="<f4")
    data = f"{W.shape[0]} {W.shape[1]}\n".encode()
    for word, row in zip(words, W, strict=True):
        data += word.encode() + b" " + row.tobytes() + (b"\n" if newline else b"")
    return data


def read_binary(data):
    """Return words and W (V, d) float32 of the binary format; newlines before a word are skipped, a space ends it."""
    end = data.index(b"\n")
    V, d = (int(field) for field in data[:end].split())
    words, W, at = [], np.zeros((V, d), dtype=np.float32), end + 1
    for row in range(V):
        while data[at : at + 1] == b"\n":
            at += 1
        space = data.index(b" ", at)
        words.append(data[at:space].decode())
        if len(data) < space + 1 + 4 * d:
            raise ValueError(f"{V} rows promised, the file ends in row {row + 1}")
        W[row] = np.frombuffer(data, dtype="<f4", count=d, offset=space + 1)
        at = space + 1 + 4 * d
    return words, W


def fasttext_ngrams(word, minn, maxn):
    """Return the letter n-grams of a word between its marks, as strings: all of minn to maxn characters but < and >."""
    marked = f"<{word}>"
    found = []
    for start in range(len(marked)):
        for n in range(minn, maxn + 1):
            gram = marked[start : start + n]
            if len(gram) == n and not (n == 1 and (start == 0 or start == len(marked) - 1)):
                found.append(gram)
    return found


def fasttext_hash(gram):
    """Return FNV-1a of the UTF-8 bytes, each taken as a signed number and widened to 32 bits."""
    h = 2166136261
    for byte in gram.encode():
        h ^= byte if byte < 128 else (byte - 256) % 2**32
        h = h * 16777619 % 2**32
    return h


def fasttext_vector(word, row, subwords, minn, maxn):
    """Return the mean (d,) of the row of a word and the rows of its n-grams in subwords (bucket, d)."""
    rows = [np.asarray(row, dtype=np.float64)]
    if len(subwords) and maxn:
        rows += [subwords[fasttext_hash(gram) % len(subwords)] for gram in fasttext_ngrams(word, minn, maxn)]
    return np.mean(rows, axis=0)
