"""Records that are signed: what a lone text cannot show, the signature does, and the command says what is missing."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.cli import run
from engine.match.signature import public_key, shown, signature_line
from server.contest.export import public_pem
from tests.engine.records import records

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
RAW = KEY.public_key().public_bytes_raw()
RECORDS = records()
NAMES = [*RECORDS]


def signed(text: str) -> bytes:
    return (text + signature_line(KEY.sign(text.encode()))).encode()


def record(file: Path, *options: str) -> int:
    """Return the exit status of the command."""
    try:
        return run(["record", str(file), *options])
    except SystemExit as end:
        return int(end.code or 0)


def _shifted(data: bytes) -> bytes:
    """Shift all stamps of a record, and what both sides have left, by a millisecond."""
    return re.sub(rb"^(ready \w+) (\d+)", lambda found: b"%s %d" % (found[1], int(found[2]) + 1), data, flags=re.M)


def _replace(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        assert old in data
        return data.replace(old, new, 1)

    return change


def _without(kind: bytes) -> Callable[[bytes], bytes]:
    return lambda data: b"".join(line for line in data.splitlines(True) if not line.startswith(kind))


FORGERIES: dict[str, tuple[Callable[[bytes], bytes], int]] = {
    "words at the end of the sentence": (_replace(b" resigned\n", b" resigned and he cheated\n"), 2),
    "other words in the sentence": (_replace(b" resigned\n", b" cheated\n"), 2),
    "another name in the sentence": (_replace(b"bob (black) resigned", b"alice (white) resigned"), 2),
    "no result": (_without(b"result"), 2),
    "no result and no signature": (lambda data: _without(b"result")(_without(b"signature")(data)), 3),
    "no signature": (_without(b"signature"), 4),
    "a signature of nothing": (lambda data: data[: data.rindex(b" ") + 1] + b"A" * 86 + b"==\n", 2),
    "a short signature": (lambda data: data[: data.rindex(b" ") + 1] + b"AAAA\n", 2),
    "two signatures": (lambda data: data + data.splitlines(True)[-1], 2),
    "a line behind the signature": (lambda data: data + b"ready white 1.000 1.000\n", 2),
    "an empty line at the end": (lambda data: data + b"\n", 2),
    "no line feed at the end": (lambda data: data[:-1], 2),
    "carriage returns": (lambda data: data.replace(b"\n", b"\r\n"), 2),
    "one carriage return": (_replace(b" resigned\n", b" resigned\r\n"), 2),
    "a carriage return for a line feed": (_replace(b"match 17\n", b"match 17\r"), 2),
    "a form feed": (_replace(b"match 17\n", b"match 17\f"), 2),
    "a form feed in the sentence": (_replace(b" resigned\n", b" resigned\f\n"), 2),
    "a line separator": (_replace(b"match 17\n", "match 17\u2028".encode()), 2),
    "a paragraph separator in the sentence": (_replace(b" resigned\n", " resigned\u2029\n".encode()), 2),
    "a next line": (_replace(b"match 17\n", "match 17\x85".encode()), 2),
    "a vertical tab": (_replace(b"match 17\n", b"match 17\v"), 2),
    "a byte order mark": (lambda data: "\ufeff".encode() + data, 2),
    "a byte that is no UTF-8": (_replace(b" resigned\n", b" resigned\xff\n"), 2),
    "a zero byte": (_replace(b" resigned\n", b" resigned\x00\n"), 2),
    "a name": (lambda data: data.replace(b"alice", b"elsie"), 2),
    "a number": (_replace(b"match 17\n", b"match 18\n"), 2),
    "a server": (_replace(b"server gipf", b"server gopf"), 2),
    "another date": (_replace(b"started 2026-11-20", b"started 2026-11-19"), 2),
    "a date that is none": (_replace(b"started 2026-11-20", b"started 2026-02-30"), 2),
    "a date without a zone": (_replace(b".000Z\n", b".000\n"), 2),
    "words for a date": (_replace(b"started 2026-11-20T20:15:00.000Z", b"started yesterday"), 2),
    "an hour that is none": (_replace(b"T20:15", b"T24:15"), 2),
    "a move limit": (_replace(b"move-limit 6", b"move-limit 7"), 2),
    "all stamps of READY": (_shifted, 2),
    "a move": (lambda data: _without(b"move 1 ")(data), 2),
}


@pytest.fixture
def text() -> str:
    return RECORDS["resigned on turn"]


@pytest.mark.parametrize("kind", FORGERIES)
def test_no_forgery_is_accepted(kind: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forge, status = FORGERIES[kind]
    file = tmp_path / "1.txt"
    file.write_bytes(forge(signed(text)))
    assert file.read_bytes() != signed(text)
    assert record(file, "--key", shown(RAW)) == status
    printed = capsys.readouterr()
    assert ("line " in printed.err) == (status == 2) and printed.err.count("\n") <= 1


def test_each_answer_has_a_word_and_a_status(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, pem = tmp_path / "1.txt", tmp_path / "key.pem"
    pem.write_bytes(public_pem(KEY))
    assert public_key(pem.read_bytes()) == RAW == public_key(shown(RAW).encode())

    def last(content: bytes, *options: str) -> tuple[int, str, str]:
        file.write_bytes(content)
        status, said = record(file, *options), capsys.readouterr()
        line = said.out.splitlines()[-1] if said.out else ""
        return status, line.partition(":")[0], f"{line.rpartition('; ')[2]}{said.err}"

    key = ("--key", str(pem))
    answers = [last(signed(text), *key), last(signed(text)), last(text.encode())]
    assert answers == snapshot(
        [
            (0, "verified match 17", "signed by that key"),
            (0, "verified match 17", "signed, and no key was given"),
            (0, "verified match 17", "unsigned"),
        ]
    )
    assert last(text.encode(), *key)[:2] == (4, "unsigned match 17")
    open_end = "".join(line for line in text.splitlines(True) if not line.startswith(("result", "unans", "resig")))
    assert last(open_end.encode())[:2] == (3, "not ended")
    assert last(open_end.encode(), *key)[:2] == (3, "not ended")
    # a file of an archive may be older than its match
    os.utime(file, (0, 0))
    assert record(file) == 3
    status, _, said = last(text.replace("started 2026", "started 2999").encode())
    assert status == 2 and said.endswith("began at 2999-11-20T20:15:00.000Z, after the file was written\n")
    other = Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key().public_bytes_raw()
    status, _, said = last(signed(text), "--key", shown(other))
    assert (status, said.replace(str(file), "FILE")) == snapshot(
        (2, "arena-engine: FILE: line 28: the signature is not of this key for this text\n")
    )
    for wrong in ("AAAA", str(file), "no key", shown(RAW)[:-2]):
        assert last(signed(text), "--key", wrong)[0] == 2
    assert last(signed(text), "--key", "no key") == snapshot(
        (2, "", "arena-engine: --key: 'no key' is no public key of Ed25519 in base64, and no file with one in PEM\n")
    )
    with raises(snapshot("ValueError: it is a key of another kind than Ed25519")):
        public_key(
            X25519PrivateKey.generate().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        )
