"""The signature of a record: Ed25519 (RFC 8032) over all bytes before its line, which is the last one.

The package of the algorithm is loaded with the first key: most commands need none.
"""

import base64
import binascii

WORD = "signature"
"""First word of the line."""

SIGNATURE_BYTES, KEY_BYTES = 64, 32


def signature_line(signature: bytes) -> str:
    """Return the line of a signature."""
    return f"{WORD} {base64.b64encode(signature).decode()}\n"


def read_signature(text: str) -> bytes:
    """Return the signature of a line behind its word; raises ValueError where it is not written as `signature_line`."""
    signature = base64.b64decode(text, validate=True)
    if len(signature) != SIGNATURE_BYTES or base64.b64encode(signature).decode() != text:
        raise ValueError(text)
    return signature


def public_key(text: bytes) -> bytes:
    """Return a public key, given in base64 or as a file in PEM; raises ValueError where it is none of Ed25519."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        raw = base64.b64decode(text.strip(), validate=True)
    except binascii.Error:
        raw = b""
    if len(raw) == KEY_BYTES:
        return raw
    try:
        key = load_pem_public_key(text)
    except UnsupportedAlgorithm as error:
        raise ValueError(str(error)) from None
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("it is a key of another kind than Ed25519")
    return key.public_bytes_raw()


def shown(key: bytes) -> str:
    """Return a public key as people compare it."""
    return base64.b64encode(key).decode()


def is_signed(key: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether the signature of a message is of that key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


THIS_SERVER, ANOTHER_KEY, NOBODY = "this server", "another key", "nobody"
"""The signer of a record: the owner of a given key, somebody else, or nobody."""


def signer(key: bytes, record: bytes) -> str:
    """Say who has signed a record. One that was changed since counts as signed by another key."""
    signed, _, line = record.removesuffix(b"\n").rpartition(b"\n")
    word, _, text = line.partition(b" ")
    if word != WORD.encode():
        return NOBODY
    try:
        signature = read_signature(text.decode())
    except ValueError:
        return ANOTHER_KEY
    return THIS_SERVER if is_signed(key, signed + b"\n", signature) else ANOTHER_KEY
