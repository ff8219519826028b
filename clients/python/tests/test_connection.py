"""Servers that do anything but respond as they should. The client must end in time, with an error of its own."""

import contextlib
import datetime
import gzip
import ipaddress
import itertools
import os
import pathlib
import socket
import ssl
import tempfile
import threading
import time
import unittest

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from public_api import Client, ConnectionError
from public_api.connection import Connection, origin_of

HEAD = b"HTTP/1.1 200 OK\r\n"
EMPTY = HEAD + b"Content-Length: 0\r\n\r\n"
#: No server sends more than this, so that a client without a limit ends as well.
MOST = 400_000_000


class Server:
    """Gives each connection the bytes of a generator, after its first request unless ``speaks_first``."""

    def __init__(self, respond, *, family=socket.AF_INET, speaks_first=False, tls=None):
        self.listener = socket.create_server(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0), family=family)
        self.host = "[::1]" if family == socket.AF_INET6 else "127.0.0.1"
        self.port = self.listener.getsockname()[1]
        if tls is not None:
            self.listener = tls.wrap_socket(self.listener, server_side=True)
        self.respond, self.speaks_first = respond, speaks_first
        self.requests, self.sent, self.connections = [], 0, 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection):
        with connection, contextlib.suppress(OSError):
            while True:
                if not self.speaks_first:
                    request = b""
                    while not request.endswith(b"\r\n\r\n"):
                        part = connection.recv(65_536)
                        if not part:
                            return
                        request += part
                    self.requests.append(request.decode("latin-1"))
                for part in self.respond():
                    connection.sendall(part)
                    self.sent += len(part)
                    if self.sent > MOST:
                        return
                if self.speaks_first:
                    return

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    @property
    def origin(self):
        return f"http://{self.host}:{self.port}"


def create_certificate(folder):
    """A certificate for 127.0.0.1, signed by itself, and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .sign(key, hashes.SHA256())
    )
    file = pathlib.Path(folder, "certificate.pem")
    packed = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    pem = serialization.Encoding.PEM
    file.write_bytes(key.private_bytes(pem, *packed) + certificate.public_bytes(pem))
    return file


def slowly(data):
    for each in data:
        time.sleep(0.02)
        yield bytes([each])


def forever(part):
    return itertools.repeat(part)


class ConnectionTest(unittest.TestCase):
    def refused(self, respond, *, timeout=10.0, limit=1_000_000, scheme="http", **options):
        """The error of a request, and the server that caused it."""
        with Server(respond, **options) as server:
            connection = Connection(f"{scheme}://{server.host}:{server.port}", timeout, limit)
            with self.assertRaises(ConnectionError) as caught:
                connection.get("/", {})
            connection.close()
            return caught.exception, server

    def test_what_never_ends_ends_in_time(self):
        for name, respond in {
            "header fields": lambda: itertools.chain([HEAD], slowly(itertools.cycle(b"A: b\r\n"))),
            "body": lambda: itertools.chain([HEAD, b"\r\n"], slowly(itertools.cycle(b" "))),
            "interim responses": lambda: forever(b"HTTP/1.1 100 Continue\r\n\r\n"),
            "trailer": lambda: itertools.chain(
                [HEAD, b"Transfer-Encoding: chunked\r\n\r\n0\r\n"], slowly(itertools.cycle(b"A: b\r\n"))
            ),
            "silence": lambda: (time.sleep(3) for _ in range(1)),
        }.items():
            with self.subTest(name):
                error, _ = self.refused(respond, timeout=0.3)
                self.assertIn("no response within 0.3 s", str(error))
                self.assertFalse(error.is_final)

    def test_a_handshake_that_never_ends_ends_in_time(self):
        def record():
            return itertools.chain([b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc"], slowly(itertools.repeat(0)))

        error, _ = self.refused(record, timeout=0.3, scheme="https", speaks_first=True)
        self.assertIn("no response within 0.3 s", str(error))

    def test_a_body_over_tls_that_never_ends_ends_in_time(self):
        with tempfile.TemporaryDirectory() as folder:
            certificate = create_certificate(folder)
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
            for head in (b"\r\n", b"Content-Length: 1000000\r\n\r\n"):

                def drip(head=head):
                    return itertools.chain([HEAD, head], slowly(itertools.repeat(32)))

                with self.subTest(head), Server(drip, tls=tls) as server:
                    connection = Connection(f"https://{server.host}:{server.port}", 0.5, 1_000_000)
                    connection._tls.load_verify_locations(certificate)
                    with self.assertRaises(ConnectionError) as caught:
                        connection.get("/", {})
                    self.assertIn("no response within 0.5 s", str(caught.exception))
                    self.assertFalse(caught.exception.is_final)
                    self.assertEqual(len(server.requests), 1)

    def test_nothing_large_is_read_to_the_end(self):
        packed = gzip.compress(b" " * 100_000_000)
        coded = HEAD + b"Content-Encoding: gzip\r\n\r\n"
        for name, is_final, respond in (
            ("body", True, lambda: itertools.chain([HEAD, b"\r\n"], forever(b" " * 65_536))),
            ("compressed", True, lambda: [coded, packed]),
            ("bytes after it", True, lambda: itertools.chain([coded, gzip.compress(b"")], forever(b" " * 65_536))),
            ("header fields", False, lambda: itertools.chain([HEAD], forever(b"A: b\r\n" * 1000))),
            ("one header field", False, lambda: itertools.chain([HEAD, b"A: "], forever(b"b" * 65_536))),
            ("status line", False, lambda: forever(b"H" * 65_536)),
            ("chunk size", False, lambda: itertools.chain(
                [HEAD, b"Transfer-Encoding: chunked\r\n\r\n"], forever(b"0" * 65_536)
            )),
        ):
            with self.subTest(name):
                error, server = self.refused(respond)
                self.assertEqual(error.is_final, is_final, error)
                self.assertLess(server.sent, 50_000_000)

    def test_what_is_not_a_response(self):
        for response in (
            b"",
            b"\r\n\r\n",
            b"HTTP/9.9 200 OK\r\n\r\n",
            b"HTTP/1.1 2000 OK\r\n\r\n",
            HEAD + b"Content-Length: 9\r\n\r\n{}",
            HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{}",
            HEAD + b"Content-Encoding: gzip\r\n\r\n{}",
            HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"{}")[:-1],
            HEAD + b"Content-Encoding: br\r\n\r\n{}",
        ):
            with self.subTest(response):
                self.refused(lambda: [response, b""], speaks_first=True)

    def test_interim_responses_are_skipped(self):
        interim = b"".join(b"HTTP/1.1 %d x\r\nLink: </a>\r\n\r\n" % status for status in (100, 103, 102, 199, 100))
        with Server(lambda: [interim + HEAD + b"Content-Length: 2\r\n\r\n{}"]) as server:
            connection = Connection(server.origin, 10, 1000)
            for _ in range(2):
                response = connection.get("/", {})
                self.assertEqual((response.status, response.body), (200, b"{}"))
                self.assertEqual([name for name, _ in response.headers], ["Content-Length"])
            connection.close()
            self.assertEqual(server.connections, 1)

    def test_little_of_an_error_is_read(self):
        for head, expected in (
            (b"", 65_536),
            (b"Content-Encoding: br\r\n", 0),
            (b"X-SVC-Signature: a\r\n", None),
        ):
            def respond(head=head):
                return itertools.chain([b"HTTP/1.1 500 x\r\n", head, b"\r\n"], forever(b"{}," * 20_000))

            with self.subTest(head), Server(respond) as server:
                connection = Connection(server.origin, 10, 16_000_000)
                if expected is None:
                    with self.assertRaisesRegex(ConnectionError, "more than 65536 bytes"):
                        connection.get("/", {})
                else:
                    self.assertEqual(len(connection.get("/", {}).body), expected)
                    # The rest would be taken for the next response.
                    self.assertEqual(connection._idle, [])
                connection.close()

    def test_a_redirect_is_not_followed_and_cannot_write_to_a_terminal(self):
        error, server = self.refused(lambda: [b"HTTP/1.1 302 Found\r\nLocation: http://a/\x1b[2J\r\n\r\n"])
        self.assertTrue(error.is_final)
        self.assertIn(r"redirects to 'http://a/\x1b[2J'", str(error))
        self.assertEqual(len(server.requests), 1)

    def test_the_target_is_sent_as_it_is(self):
        with Server(lambda: [EMPTY]) as server:
            connection = Connection(server.origin, 10, 1000)
            targets = ("/a/%2e%2E/b?x=%7e&&y", "/?", "//b", "/'\"<>|")
            for target in targets:
                connection.get(target, {})
            connection.close()
            self.assertEqual([each.split(" ")[1] for each in server.requests], list(targets))
            self.assertEqual(server.connections, 1)
            for target in ("", "a", "@b/", ".b/", "/ ", "/\r\nA: b", "/#a", "/\u0e01"):
                with self.subTest(target), self.assertRaises(ValueError):
                    connection.get(target, {})

    def test_a_connection_that_the_server_closed_is_opened_again(self):
        # The end of a generator ends the connection here, but not the announcement of it.
        with Server(lambda: [EMPTY], speaks_first=True) as server:
            connection = Connection(server.origin, 10, 1000)
            for _ in range(3):
                self.assertEqual(connection.get("/", {}).status, 200)
            self.assertEqual(server.connections, 3)
            connection.close()

    @unittest.skipUnless(os.path.exists("/proc/net/if_inet6"), "the machine has no IPv6")
    def test_an_address_of_version_6(self):
        with Server(lambda: [EMPTY], family=socket.AF_INET6) as server:
            connection = Connection(server.origin, 10, 1000)
            self.assertEqual(connection.get("/", {}).status, 200)
            connection.close()
            self.assertIn(f"Host: [::1]:{server.port}\r\n", server.requests[0])

    def test_without_a_port_an_address_of_version_6_keeps_its_end(self):
        for origin, port in (("http://[2001:db8::1]", 80), ("https://[2001:db8::1]", 443)):
            opened = Connection(origin, 10, 1000)._open()
            self.assertEqual((opened.host, opened.port, opened.default_port), ("2001:db8::1", port, port))

    def test_certificates_are_checked(self):
        opened = Connection("https://api.example.org", 10, 1000)._open()
        self.assertEqual((opened.tls.verify_mode, opened.tls.check_hostname), (ssl.CERT_REQUIRED, True))


class OptionsTest(unittest.TestCase):
    def test_an_origin_has_one_form(self):
        for base_url, origin in {
            "https://api.example.org/": "https://api.example.org",
            "HTTPS://API.Example.org:443": "https://api.example.org",
            "http://a:80": "http://a",
            "http://a:443": "http://a:443",
            "http://[2001:DB8::1]:8080": "http://[2001:db8::1]:8080",
        }.items():
            with self.subTest(base_url):
                self.assertEqual(origin_of(base_url), origin)

    def test_what_is_not_an_origin(self):
        for base_url in (
            "", "a", "ftp://a", "https://", "https://a/b", "https://a?b", "https://a#b", "https://user:secret@a",
            "https://a\\b", "https://a:b", "https://a:99999", "https://[", "https://[::1", "https://a b", "https://:1",
        ):
            with self.subTest(base_url), self.assertRaises(ValueError) as caught:
                origin_of(base_url)
            self.assertNotIn("secret", str(caught.exception))

    def test_options_that_are_none(self):
        options = {"pinned_key_ids": None, "api_key": None, "mirrors": None, "max_mirror_age_seconds": None, "store": None}
        self.assertEqual(Client("https://api.example.org", **options).origin, "https://api.example.org")

    def test_wrong_options(self):
        for options in (
            # Not a wish to trust every key.
            {"pinned_key_ids": []},
            {"pinned_key_ids": ["a"]},
            {"pinned_key_ids": [None]},
            # A text would be searched for each ID.
            {"pinned_key_ids": "A" * 43},
            {"mirrors": "https://copy.example.net/"},
            {"mirrors": ["https://copy.example.net/?a"]},
            {"mirrors": ["copy.example.net"]},
            {"max_mirror_age_seconds": 0},
            {"api_key": "a b"},
            {"api_key": "a\r\n"},
            {"max_age_seconds": 0},
            {"timeout_seconds": float("nan")},
            {"max_body_bytes": -1},
            {"max_wait_seconds": 0},
            {"max_retries": -1},
        ):
            with self.subTest(options), self.assertRaises(ValueError):
                Client("https://api.example.org", **options)


if __name__ == "__main__":
    unittest.main()
