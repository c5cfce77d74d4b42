"""A bounded part of tests/fuzz.py: mutated files end in our errors only, quickly, in little memory."""

import fuzz
import pytest

KINDS = [
    *("checkpoint", "training", "model", "text", "binary", "fasttext", "npy", "npz", "tensors", "tokens", "projector"),
    *("metadata", "arrow", "corpus", "settings", "questions", "pairs"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_mutated_files_end_in_our_errors_only(kind):
    outcomes, failed, _ = fuzz.run(400, seed=7, kinds=[kind])
    assert not failed, "\n".join(outcome for _, _, outcome in failed[:3])
    assert sum(outcomes[kind].values()) == 400
    assert len(outcomes[kind]) > 1, "some must be read and some refused"
