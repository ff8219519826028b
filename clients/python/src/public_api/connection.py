"""HTTP requests to one origin: no redirect is followed, and time and size of a response are limited."""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import ssl
import threading
import time
import zlib
from typing import Callable, Mapping, Optional
from urllib.parse import urlsplit

from .errors import ConnectionError
from .http_response import HttpResponse, is_signed

#: Sends one GET request to an origin and returns the response. Raises a ConnectionError.
Fetch = Callable[[str, str, Mapping[str, str]], HttpResponse]

_ORIGIN = re.compile(r"https?://[^/?#@\s\\]+", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_TARGET = re.compile(r"/[!-~]*")
_CHUNK_BYTES = 65_536
#: Limit for the body of an error. That of an unsigned one is cut off here, because it proves nothing.
_MAX_ERROR_BYTES = 65_536
_GZIP = 16 + zlib.MAX_WBITS


def origin_of(base_url: str) -> str:
    """The origin in its one form: lower case, without a default port. Raises a ValueError for anything else."""
    origin = base_url[:-1] if base_url.endswith("/") else base_url
    try:
        parts = urlsplit(origin)
        scheme, host, port = parts.scheme, parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or _ORIGIN.fullmatch(origin) is None:
        # The value is not quoted: it may contain a password.
        raise ValueError("base_url: expected an origin such as https://api.example.org") from None
    name = f"[{host}]" if ":" in host else host
    return f"{scheme}://{name}" if port in (None, _DEFAULT_PORTS[scheme]) else f"{scheme}://{name}:{port}"


class _FinalResponse(http.client.HTTPResponse):
    """The response after any interim ones (RFC 9110 15.2). The library skips only status 100."""

    def begin(self) -> None:
        super().begin()
        while self.status < 200:
            # Otherwise the next call would do nothing.
            self.headers = self.msg = None  # type: ignore[assignment]
            super().begin()


class _HttpConnection(http.client.HTTPConnection):
    """A connection whose opening ends with the time for the request, also while a server delays the TLS handshake."""

    response_class = _FinalResponse
    ends_at = 0.0
    tls: Optional[ssl.SSLContext] = None
    #: ``sock`` is None as soon as a response ends the connection, although its body is still being received.
    opened: Optional[socket.socket] = None

    def connect(self) -> None:
        self.sock = self.opened = _dial(self.host, self.port, self.ends_at)
        self.sock.settimeout(self.timeout)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.tls is not None:
            # The handshake by itself, so that the timer has a socket to shut down.
            wrapped = self.tls.wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
            self.sock = self.opened = wrapped
            self._require_time()
            wrapped.do_handshake()
        self._require_time()

    def _require_time(self) -> None:
        # The timer may have ended before there was a socket.
        if time.monotonic() >= self.ends_at:
            raise TimeoutError


def _dial(host: str, port: int, ends_at: float) -> socket.socket:
    """A connection to the first address that accepts one. Each gets its part of the time."""
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    failure: OSError = TimeoutError()
    for place, (family, kind, protocol, _, address) in enumerate(addresses):
        remaining = ends_at - time.monotonic()
        if remaining <= 0:
            break
        dialed = socket.socket(family, kind, protocol)
        try:
            dialed.settimeout(remaining / (len(addresses) - place))
            dialed.connect(address)
            return dialed
        except OSError as error:
            dialed.close()
            failure = error
    raise failure


class Connection:
    """Sends requests with ``http.client``, and keeps idle connections open for the next request."""

    def __init__(self, origin: str, timeout_seconds: float, max_body_bytes: int) -> None:
        parts = urlsplit(origin)
        self._origin = origin
        self._host = parts.hostname or ""
        # Without a port, http.client would take the end of an IPv6 address for one.
        self._port = parts.port or _DEFAULT_PORTS[parts.scheme]
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._timeout_seconds = timeout_seconds
        self._max_body_bytes = max_body_bytes
        # One more than it has threads at work; operations of a list are atomic.
        self._idle: list[_HttpConnection] = []

    def get(self, target: str, headers: Mapping[str, str]) -> HttpResponse:
        """The unverified response to a GET. Raises a ConnectionError."""
        # The signature covers the target as sent, so nothing may be encoded or resolved on the way.
        if _TARGET.fullmatch(target) is None or "#" in target:
            raise ValueError("target: expected a path with its query, in visible ASCII")
        while True:
            try:
                connection, is_reused = self._idle.pop(), True
            except IndexError:
                connection, is_reused = self._open(), False
            try:
                return self._exchange(connection, target, headers)
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError) as error:
                connection.close()
                # The server may close an idle connection at any time.
                if not is_reused:
                    raise self._failure(target, error) from error
            except (OSError, http.client.HTTPException, zlib.error) as error:
                connection.close()
                if isinstance(error, ConnectionError):
                    raise
                raise self._failure(target, error) from error
            except BaseException:
                connection.close()
                raise

    def close(self) -> None:
        """Closes idle connections."""
        while self._idle:
            self._idle.pop().close()

    def _failure(self, target: str, error: Exception) -> ConnectionError:
        # Not the text of the error: http.client quotes what the server sent.
        reason = str(error) if isinstance(error, OSError) else type(error).__name__
        return ConnectionError(f"{self._origin}{target} not fetched: {reason or type(error).__name__}")

    def _open(self) -> _HttpConnection:
        connection = _HttpConnection(self._host, self._port, timeout=self._timeout_seconds)
        if self._tls is not None:
            connection.tls, connection.default_port = self._tls, http.client.HTTPS_PORT
        return connection

    def _exchange(
        self, connection: _HttpConnection, target: str, headers: Mapping[str, str]
    ) -> HttpResponse:
        # A timeout of the socket begins again with every byte. The timer ends the whole response.
        ends_at = time.monotonic() + self._timeout_seconds
        connection.ends_at = ends_at
        timer = threading.Timer(self._timeout_seconds, _shut_down, [connection])
        timer.daemon = True
        timer.start()
        try:
            connection.request("GET", target, headers={"Accept-Encoding": "gzip", **headers})
            response = connection.getresponse()
            with contextlib.closing(response):
                body = self._accept(response, target)
            if time.monotonic() >= ends_at:
                raise TimeoutError
        except (OSError, http.client.HTTPException, AttributeError, ValueError) as error:
            # A connection that the timer shut down fails in various ways, also as a body that is cut off.
            if time.monotonic() < ends_at or (isinstance(error, ConnectionError) and error.is_final):
                raise
            seconds = f"{self._timeout_seconds:g}"
            message = f"{self._origin}{target} not fetched: no response within {seconds} s"
            raise ConnectionError(message) from error
        finally:
            timer.cancel()
        if response.will_close:
            connection.close()
        else:
            self._idle.append(connection)
        fields = response.getheaders()
        return HttpResponse("GET", target, response.status, fields, body, headers.get("If-None-Match"))

    def _accept(self, response: http.client.HTTPResponse, target: str) -> bytes:
        """The body of a response that is not a redirect."""
        status = response.status
        if 300 <= status < 400 and status != 304:
            location = response.getheader("Location") or "elsewhere"
            message = f"{self._origin}{target} not fetched: redirects to {location!r}"
            raise ConnectionError(message, is_final=True)
        return self._read(response, target)

    def _read(self, response: http.client.HTTPResponse, target: str) -> bytes:
        """The body without its content coding. Raises a ConnectionError if it is too large or cut off."""
        coding = (response.getheader("Content-Encoding") or "identity").strip().lower()
        is_error = response.status >= 400
        # What an unsigned error says proves nothing: it is neither decoded nor read to its end.
        is_cut = is_error and not is_signed(response.getheaders())
        if coding not in ("identity", "gzip", "x-gzip"):
            if is_cut:
                response.will_close = True
                return b""
            message = f"{self._origin}{target} not fetched: content coding {coding!r} was not requested"
            raise ConnectionError(message, is_final=True)
        inflate = None if coding == "identity" else zlib.decompressobj(_GZIP)
        limit = min(self._max_body_bytes, _MAX_ERROR_BYTES) if is_error else self._max_body_bytes
        room = limit
        # One buffer: a list of parts takes much more than their bytes if they are small.
        body = bytearray()
        is_empty = True
        while True:
            received = response.read1(_CHUNK_BYTES)
            is_empty = is_empty and not received
            # More than the limit is neither stored nor decompressed.
            part = received if inflate is None else inflate.decompress(received, room + 1)
            if inflate is not None and inflate.unused_data:
                message = f"{self._origin}{target} not fetched: bytes after the end of the gzip stream"
                raise ConnectionError(message, is_final=True)
            room -= len(part)
            body += part
            if room < 0 and is_cut:
                response.will_close = True
                return bytes(body[:limit])
            if room < 0:
                message = f"{self._origin}{target} not fetched: more than {limit} bytes"
                raise ConnectionError(message, is_final=True)
            if not received and (inflate is None or not inflate.unconsumed_tail):
                break
        if response.length == 0:
            # Only this marks the response as read, so that the connection can be used again.
            response.read()
        is_short = response.length not in (None, 0) or (inflate is not None and not is_empty and not inflate.eof)
        if is_short:
            raise ConnectionError(f"{self._origin}{target} not fetched: the body is cut off")
        return bytes(body)


def _shut_down(connection: _HttpConnection) -> None:
    try:
        if connection.opened is not None:
            connection.opened.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
