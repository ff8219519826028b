"""HTTP requests to one origin: no redirect is followed, and time and size of a response are limited."""

from __future__ import annotations

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
from .http_response import HttpResponse

#: Sends one GET request to an origin and returns the response. Raises a ConnectionError.
Fetch = Callable[[str, str, Mapping[str, str]], HttpResponse]

_ORIGIN = re.compile(r"https?://[^/?#@\s\\]+")
_TARGET = re.compile(r"/[!-~]*")
_CHUNK_BYTES = 65_536
_GZIP = 16 + zlib.MAX_WBITS


def origin_of(base_url: str) -> str:
    """The origin without the slash at its end. Raises a ValueError for anything but http(s), host and port."""
    origin = base_url[:-1] if base_url.endswith("/") else base_url
    if _ORIGIN.fullmatch(origin) is None:
        # The value is not quoted: it may contain a password.
        raise ValueError("base_url: expected an origin such as https://api.example.org")
    urlsplit(origin).port  # Raises a ValueError for a port that is not a number.
    return origin


class Connection:
    """Sends requests with ``http.client``, and keeps idle connections open for the next request."""

    def __init__(self, origin: str, timeout_seconds: float, max_body_bytes: int) -> None:
        parts = urlsplit(origin)
        self._origin = origin
        self._host, self._port = parts.hostname or "", parts.port
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._timeout_seconds = timeout_seconds
        self._max_body_bytes = max_body_bytes
        # One more than it has threads at work; operations of a list are atomic.
        self._idle: list[http.client.HTTPConnection] = []

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
        while self._idle:
            self._idle.pop().close()

    def _failure(self, target: str, error: Exception) -> ConnectionError:
        # Not the text of the error: http.client quotes what the server sent.
        reason = str(error) if isinstance(error, OSError) else type(error).__name__
        return ConnectionError(f"{self._origin}{target} not fetched: {reason or type(error).__name__}")

    def _open(self) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_seconds)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=self._timeout_seconds, context=self._tls
        )

    def _exchange(
        self, connection: http.client.HTTPConnection, target: str, headers: Mapping[str, str]
    ) -> HttpResponse:
        # A timeout of the socket begins again with every byte. The timer ends the whole response.
        ends_at = time.monotonic() + self._timeout_seconds
        timer = threading.Timer(self._timeout_seconds, _shut_down, [connection])
        timer.daemon = True
        timer.start()
        try:
            connection.request("GET", target, headers={"Accept-Encoding": "gzip", **headers})
            response = connection.getresponse()
            fields = response.getheaders()
            status = response.status
            if 300 <= status < 400 and status != 304:
                location = response.getheader("Location") or "elsewhere"
                message = f"{self._origin}{target} not fetched: redirects to {location}"
                raise ConnectionError(message, is_final=True)
            body = self._read(response, target)
            if time.monotonic() >= ends_at:
                raise TimeoutError
        except (OSError, http.client.HTTPException, AttributeError, ValueError) as error:
            # A connection that the timer shut down fails in various ways.
            if isinstance(error, ConnectionError) or time.monotonic() < ends_at:
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
        return HttpResponse("GET", target, status, fields, body, headers.get("If-None-Match"))

    def _read(self, response: http.client.HTTPResponse, target: str) -> bytes:
        """The body without its content coding. Raises a ConnectionError if it is too large or cut off."""
        coding = (response.getheader("Content-Encoding") or "identity").strip().lower()
        if coding not in ("identity", "gzip", "x-gzip"):
            message = f"{self._origin}{target} not fetched: content coding {coding} was not requested"
            raise ConnectionError(message, is_final=True)
        inflate = None if coding == "identity" else zlib.decompressobj(_GZIP)
        room = self._max_body_bytes
        parts = []
        while True:
            received = response.read1(_CHUNK_BYTES)
            # More than the limit is neither stored nor decompressed.
            part = received if inflate is None else inflate.decompress(received, room + 1)
            room -= len(part)
            if room < 0:
                message = f"{self._origin}{target} not fetched: more than {self._max_body_bytes} bytes"
                raise ConnectionError(message, is_final=True)
            parts.append(part)
            if not received and (inflate is None or not inflate.unconsumed_tail):
                break
        if response.length == 0:
            # Only this marks the response as read, so that the connection can be used again.
            response.read()
        is_cut = response.length not in (None, 0) or (inflate is not None and parts != [b""] and not inflate.eof)
        if is_cut:
            raise ConnectionError(f"{self._origin}{target} not fetched: the body is cut off")
        return b"".join(parts)


def _shut_down(connection: http.client.HTTPConnection) -> None:
    try:
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
