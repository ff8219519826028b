"""Runs the cases of test/clients/watch-cases.json."""

import base64
import email.utils
import hashlib
import json
import pathlib
import tempfile
import threading
import unittest

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from public_api import Client, ConnectionError
from public_api.history import hash_of
from public_api.http_response import HttpResponse
from public_api.instant import format_instant

TESTS = pathlib.Path(__file__).resolve().parents[3] / "test"
CASES = json.loads((TESTS / "clients" / "watch-cases.json").read_text("utf-8"))["cases"]
ENTRIES = json.loads((TESTS / "vectors" / "history" / "good.json").read_text("utf-8"))["entries"]
ORIGIN = "https://api.example.org"
#: The key of the vectors, RFC 8032 section 7.1, test 1. It is public.
KEY = Ed25519PrivateKey.from_private_bytes(
    bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
)
PIN = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
DOCUMENT = {"keys": [{"jwk": {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}}]}


class LastPoll(Exception):
    pass


class Service:
    """Does what a poll states. Waits move its clock and begin the next poll."""

    def __init__(self, polls, entries=ENTRIES, store=None):
        self.entries, self.polls, self.store = entries, iter(polls), store
        self.now, self.waits, self.conditional = 1_795_251_600.0, [], []
        self.client = self.new_client()
        self.begin(next(self.polls))

    def new_client(self):
        return Client(
            ORIGIN,
            pinned_key_ids=[PIN],
            max_retries=0,
            store=self.store,
            fetch=self.fetch,
            now=lambda: self.now,
            wait=self.wait,
        )

    def begin(self, poll):
        """Begins a poll. Another client leaves the copy, if there is one."""
        if "copy" in poll:
            self.poll = {"newest": poll["copy"]}
            self.new_client().version()
        self.poll = poll

    def wait(self, seconds):
        self.waits.append(seconds)
        self.now += seconds
        try:
            poll = next(self.polls)
        except StopIteration:
            raise LastPoll from None
        self.begin(poll)

    def fetch(self, origin, target, headers):
        poll, path = self.poll, target.split("?")[0]
        if path == "/api/v1/version":
            self.conditional.append("If-None-Match" in headers)
        if "retryAfterSeconds" in poll:
            return HttpResponse("GET", target, 503, [("Retry-After", str(poll["retryAfterSeconds"]))], b"")
        if "retryAfterDate" in poll:
            date = email.utils.formatdate(self.now + poll["retryAfterDate"], usegmt=True)
            return HttpResponse("GET", target, 503, [("Retry-After", date)], b"")
        if "newest" not in poll:
            raise ConnectionError("refused")
        if path == "/api/v1/keys/signing-key":
            return self.signed(target, headers, {"ok": True, "data": DOCUMENT})
        if path == f"/api/v1/versions/VS-000{poll.get('missing')}":
            missing = {"code": "VERSION_NOT_FOUND", "message": "No such version."}
            return self.signed(target, headers, {"ok": False, "error": missing}, 404)
        sequence = poll["newest"] if path == "/api/v1/version" else int(path[-4:])
        return self.signed(target, headers, {"ok": True, "data": self.entries[sequence - 1]})

    def signed(self, target, headers, content, status=200):
        body = json.dumps(content).encode()
        digest = f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"
        signed_at = format_instant(int(self.now * 1000))
        text = "\n".join(["svc-response-v1", "GET", target, str(status), signed_at, digest])
        fields = [
            ("Content-Digest", digest),
            ("X-SVC-Signed-At", signed_at),
            ("X-SVC-Signature", base64.b64encode(KEY.sign(text.encode())).decode()),
            ("Cache-Control", "public, max-age=60"),
        ]
        return HttpResponse("GET", target, status, fields, body, headers.get("If-None-Match"))


def after_of(case):
    if "after" not in case:
        return None
    first = ENTRIES[0]
    if case["after"].startswith("another"):
        first = {**first, "note": "another"}
        first["hash"] = hash_of(first)
    return Service([{"newest": 1}], [first]).client.version_by_id("VS-0001")


class WatchTest(unittest.TestCase):
    def test_cases(self):
        for case in CASES:
            with self.subTest(case["name"]), tempfile.TemporaryDirectory() as folder:
                service = Service(case["polls"], store=folder)
                found, fault, evidence = [], None, None
                try:
                    for version in service.client.watch(after=after_of(case)):
                        self.assertEqual(version.source, "origin")
                        found.append(version.data["sequence"])
                except Exception as error:
                    fault, evidence = getattr(error, "code", None), getattr(error, "evidence", None)
                    if fault is None and not isinstance(error, LastPoll):
                        raise
                self.assertEqual((found, fault), (case["yields"], case.get("fault")))
                if fault in ("SHORTENED", "REWRITTEN", "BROKEN"):
                    self.assertEqual((evidence["fault"], len(evidence["responses"])), (fault, 2))
                waits = case.get("waits", [[0, 10_000]] * len(service.waits))
                self.assertEqual(len(service.waits), len(waits))
                for wait, (least, most) in zip(service.waits, waits):
                    self.assertTrue(least <= wait <= most, service.waits)

    def test_asks_with_conditional_requests(self):
        service = Service([{"newest": 1}, {"newest": 2}, {"newest": 2}])
        with self.assertRaises(LastPoll):
            list(service.client.watch())
        self.assertEqual(service.conditional, [False, True, True])

    def test_a_service_that_stays_away_is_watched_on(self):
        service, seconds = Service([{"away": True}] * 1100), []
        with self.assertRaises(LastPoll):
            list(service.client.watch(on_failure=lambda _, more: seconds.append(more)))
        self.assertEqual(len(seconds), 1100)
        self.assertLessEqual(max(seconds), 900)

    def test_reports_each_failure_with_its_wait(self):
        service, failures = Service([{"away": True}, {"newest": 1}]), []
        with self.assertRaises(LastPoll):
            list(service.client.watch(on_failure=lambda error, seconds: failures.append((str(error), seconds))))
        self.assertEqual(failures, [("refused", service.waits[0])])

    def test_refuses_false_changes(self):
        second = {**ENTRIES[1], "changes": []}
        second["hash"] = hash_of(second)
        service = Service([{"newest": 1}, {"newest": 2}], [ENTRIES[0], second])
        with self.assertRaisesRegex(Exception, "CHANGES_FALSE"):
            list(service.client.watch())

    def test_ends_when_it_is_stopped_while_it_waits(self):
        stop, found = threading.Event(), []
        for version in Service([{"newest": 1}]).client.watch(stop=stop):
            found.append(version.data["sequence"])
            stop.set()
        self.assertEqual(found, [1])
        self.assertEqual(list(Service([{"newest": 1}]).client.watch(stop=stop)), [])


if __name__ == "__main__":
    unittest.main()
