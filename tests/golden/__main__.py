"""Writes the golden files anew: ``python -m tests.golden``. Explain each change of a golden file in its commit."""

from tests.golden.computed import stored_texts

if __name__ == "__main__":
    for path, text in stored_texts().items():
        path.write_text(text, newline="")
