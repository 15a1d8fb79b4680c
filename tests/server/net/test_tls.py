"""TLS: encrypted matches with our own clients, peers that do not encrypt, and handshakes that never end."""

import socket
import ssl
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest
import trio
import trustme

from bots.client import Unreachable
from bots.client.connection import Address, Connection, address
from bots.client.errors import ArenaError
from engine.wire import messages as m
from server.arena import session
from server.config.keys import BadKey, CertificateFiles, context
from server.config.settings import Limits
from server.net.admission import RateLimiter
from tests.server.harness import until
from tests.server.process import ServerProcess
from tests.waiting import WAIT_SECONDS


class Papers(NamedTuple):
    """Files of a certificate for localhost, of its key, and of the authority that has signed it."""

    certificate: Path
    key: Path
    authority: Path


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    folder = tmp_path_factory.mktemp("papers")
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost", "127.0.0.1")
    found = Papers(folder / "cert.pem", folder / "key.pem", folder / "ca.pem")
    certificate.private_key_pem.write_to_path(found.key)
    for blob in certificate.cert_chain_pems:
        blob.write_to_path(found.certificate, append=True)
    authority.cert_pem.write_to_path(found.authority)
    return found


def _options(papers: Papers) -> tuple[str, ...]:
    return ("--tls-cert", str(papers.certificate), "--tls-key", str(papers.key))


@pytest.mark.slow
def test_who_does_not_encrypt_or_trust_is_told_so_and_half_open_handshakes_hold_nobody_up(
    tmp_path: Path, papers: Papers, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(other)
    with ServerProcess(tmp_path / "data", *_options(papers)) as server:
        with monkeypatch.context() as patch:
            patch.setattr("bots.client.connection.CONNECT_SECONDS", 0.2)
            with pytest.raises(Unreachable):
                Connection("127.0.0.1", server.port)
        for wrong in ({"tls_ca": str(other)}, {"tls": True}):
            with pytest.raises(Unreachable):
                Connection(*address("127.0.0.1", server.port, **wrong))
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
        for trusted, requests in ((papers.authority, 1), (papers.certificate, 200)):
            with closing(Connection(*address("127.0.0.1", server.port, tls_ca=str(trusted)))) as connection:
                for _ in range(requests):
                    connection.send(m.AskHelp())
                for _ in range(requests):
                    assert isinstance(connection.receive(WAIT_SECONDS), m.Help)  # in turn: 2000 s
        for peer in idle:
            peer.close()
    with socket.create_server(("127.0.0.1", 0)) as plain:

        def greet() -> None:
            with plain.accept()[0] as peer:
                peer.recv(65536)
                peer.sendall(b"ARENA 1 here open\n")

        Thread(target=greet, daemon=True).start()
        with pytest.raises(Unreachable, match="without TLS"):
            Connection(*address("127.0.0.1", plain.getsockname()[1], tls_ca=str(papers.authority)))


async def test_handshake_that_does_not_end_is_ended(
    tmp_path: Path, papers: Papers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "HANDSHAKE_SECONDS", 0.05)
    rate_limiter = RateLimiter(Limits(), 10, lambda: 0)
    arena: Any = object()  # nobody gets as far as that
    handle = partial(
        session.serve_socket, arena, rate_limiter, context(CertificateFiles(papers.certificate, papers.key))
    )
    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(lambda: trio.serve_listeners(handle, listeners))
        port = listeners[0].socket.getsockname()[1]
        for said in (b"", b"\x16\x03\x01", b"LOGIN ann\n"):
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                await stream.send_all(said)
                with trio.fail_after(WAIT_SECONDS):
                    while await _received(stream):
                        pass
        await until(lambda: not rate_limiter.quotas)
        nursery.cancel_scope.cancel()


async def _received(stream: trio.SocketStream) -> bytes:
    try:
        return bytes(await stream.receive_some())
    except trio.BrokenResourceError:
        return b""


def test_identity_that_cannot_be_used_is_named(tmp_path: Path, papers: Papers) -> None:
    foreign = tmp_path / "key.pem"
    trustme.CA().issue_cert("localhost").private_key_pem.write_to_path(foreign)
    text = tmp_path / "text.pem"
    text.write_text("hello")
    for certificate, key, name in (
        (papers.certificate, foreign, "key.pem"),
        (text, papers.key, "text.pem"),
        (tmp_path / "none", papers.key, "none"),
    ):
        with pytest.raises(BadKey, match=name):
            context(CertificateFiles(certificate, key))


def test_certificates_to_trust_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none", Path(__file__)):
        with pytest.raises(ArenaError, match=path.name):
            address("127.0.0.1", 1, tls_ca=str(path))
    assert address("h", 1) == Address("h", 1, None)


def test_old_versions_are_refused(papers: Papers) -> None:
    assert context(CertificateFiles(papers.certificate, papers.key)).minimum_version == ssl.TLSVersion.TLSv1_2
