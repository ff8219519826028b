"""What a client does with the responses that it stored."""

import base64
import json
import pathlib
import unittest

from public_api import Client, VerificationError, import_key
from public_api.http_response import HttpResponse, fields_of
from public_api.instant import parse_instant

VECTORS = pathlib.Path(__file__).resolve().parents[3] / "test" / "vectors"


class StoredResponseTest(unittest.TestCase):
    def test_a_clock_that_was_set_back_renews_nothing_without_a_proof(self):
        vector = json.loads((VECTORS / "good-read.json").read_text("utf-8"))
        signed = vector["response"]
        target = vector["request"]["target"]

        def fetch(_, target, headers):
            # A cache that sends 304 by itself.
            if "If-None-Match" in headers:
                return HttpResponse("GET", target, 304, [], b"", headers["If-None-Match"])
            return HttpResponse("GET", target, 200, signed["headers"], base64.b64decode(signed["bodyBase64"]))

        class WithKeys(Client):
            def keys(self):
                return [import_key(vector["publicKey"])]

        signed_at_ms = parse_instant(fields_of(signed["headers"])["x-svc-signed-at"])
        clock = {"ms": signed_at_ms}
        client = WithKeys("https://api.example.org", fetch=fetch, now=lambda: clock["ms"] / 1000)
        for ahead_ms in (0, 900_000, -60_000):
            clock["ms"] = signed_at_ms + ahead_ms
            self.assertEqual(client.get(target).proved_at_ms, signed_at_ms)
        clock["ms"] = signed_at_ms - 60_001
        with self.assertRaises(VerificationError) as caught:
            client.get(target)
        self.assertEqual(caught.exception.code, "FUTURE")
        self.assertIn("ahead of this clock", str(caught.exception))


class KeyDocumentTest(unittest.TestCase):
    def test_the_key_document_is_loaded_each_day_without_pins(self):
        vector = json.loads((VECTORS / "keys" / "good-unpinned.json").read_text("utf-8"))
        signed = vector["response"]
        now_ms = parse_instant(vector["now"])
        for pins, wanted in ((None, [1, 1, 2, 3]), (vector["keyIds"], [1, 1, 1, 1])):
            clock = {"hours": 0}
            loaded = []

            def fetch(_, target, headers):
                loaded.append(target)
                status = 404 if clock["hours"] > 30 else signed["status"]
                return HttpResponse("GET", target, status, signed["headers"], base64.b64decode(signed["bodyBase64"]))

            client = Client(
                "https://api.example.org",
                fetch=fetch,
                pinned_key_ids=pins,
                max_age_seconds=400_000,
                now=lambda: now_ms / 1000 + clock["hours"] * 3600,
            )
            counts = []
            for clock["hours"] in (0, 23, 25, 50):
                self.assertEqual([key.key_id for key in client.keys()], vector["keyIds"])
                counts.append(len([each for each in loaded if "fresh" not in each]))
            self.assertEqual(counts, wanted)


if __name__ == "__main__":
    unittest.main()
