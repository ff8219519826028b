"""Runs the cases of test/vectors/fallback, and what follows new versions."""

import base64
import json
import pathlib
import re
import tempfile
import unittest

from public_api import Client, ConnectionError, HistoryError
from public_api.http_response import HttpResponse
from public_api.instant import format_instant, parse_instant

VECTORS = pathlib.Path(__file__).resolve().parents[3] / "test" / "vectors"


class Network:
    """Responds as a step of a case states, and lists what was asked."""

    def __init__(self, vector, step):
        self.vector, self.step = vector, step
        self.asked = []

    def fetch(self, origin, target, headers):
        url = re.sub("fresh=[^&]*", "fresh=*", origin + target)
        if not url.startswith(f"{self.vector['origin']}/api/v1/keys/signing-key"):
            self.asked.append(url)
        elif self.step["read"] in url:
            self.asked.append(url)
        names = self.step["network"].get(url, "refused")
        name = names if isinstance(names, str) else names[min(self.asked.count(url), len(names)) - 1]
        if name in ("refused", "timeout"):
            raise ConnectionError(f"{url} not fetched: {name}")
        response = self.vector["responses"][name]
        if 300 <= response["status"] < 400 and response["status"] != 304:
            raise ConnectionError("redirects", is_final=True)
        body = base64.b64decode(response["bodyBase64"] or "")
        return HttpResponse("GET", target, response["status"], response["headers"], body, headers.get("If-None-Match"))


class FallbackTest(unittest.TestCase):
    def run_steps(self, vector, folder):
        client, network = None, None
        for place, step in enumerate(vector["steps"]):
            network = Network(vector, step)
            if client is None or step.get("isRestarted"):
                client = Client(
                    vector["origin"],
                    pinned_key_ids=vector["pinnedKeyIds"] or None,
                    mirrors=vector["mirrors"],
                    max_mirror_age_seconds=vector["maxMirrorAgeSeconds"],
                    max_retries=vector["maxRetries"],
                    store=folder if vector["hasStore"] else None,
                    fetch=lambda *asked: network.fetch(*asked),
                    now=lambda: parse_instant(step["now"]) / 1000,
                    wait=lambda _: None,
                )
            with self.subTest(step=place):
                expected = dict(step["expected"])
                found = self.read(client, step)
                warnings = expected.pop("warnings", None)
                listed = found.pop("warnings", None)
                self.assertEqual(found, expected)
                self.assertEqual(
                    [each[: len(one)] for each, one in zip(listed or (), warnings or ())], warnings or [], listed
                )
                self.assertEqual(len(listed or ()), len(warnings or ()), listed)
                self.assertEqual(list(dict.fromkeys(network.asked)), step["requests"])

    def read(self, client, step):
        try:
            result = client.get(step["read"], fresh=step.get("isFresh", False))
        except ConnectionError:
            return {"error": "CONNECTION"}
        except Exception as error:
            return {"error": error.code}
        return {
            "source": result.source,
            "provedAt": format_instant(result.proved_at_ms),
            "ageSeconds": result.age_seconds,
            "data": result.data,
            "warnings": result.warnings,
        }

    def test_cases(self):
        files = sorted((VECTORS / "fallback").glob("*.json"))
        self.assertGreater(len(files), 40)
        for file in files:
            with self.subTest(file.stem), tempfile.TemporaryDirectory() as folder:
                self.run_steps(json.loads(file.read_text("utf-8")), folder)

    def test_a_damaged_store_is_not_read(self):
        vector = json.loads((VECTORS / "fallback" / "store-renewed.json").read_text("utf-8"))
        for damage in (
            lambda text: text.replace('"status": 200', '"status": 201'),
            lambda text: text[:-10],
            lambda text: "[" * 100_000,
            lambda text: "{}",
        ):
            with tempfile.TemporaryDirectory() as folder:
                first, _, last = vector["steps"]
                self.run_steps({**vector, "steps": [first]}, folder)
                (file,) = pathlib.Path(folder).iterdir()
                file.write_text(damage(file.read_text()))
                self.run_steps({**vector, "steps": [{**last, "expected": {"error": "CONNECTION"}}]}, folder)


class WatchTest(unittest.TestCase):
    """Follows the history of test/vectors/history/good.json, which a stubbed client returns."""

    entries = json.loads((VECTORS / "history" / "good.json").read_text("utf-8"))["entries"]

    def watch(self, script, *, after=None, entries=None):
        """The IDs that were yielded before the script ended, the waits, and the error that ended it."""
        entries = entries or self.entries
        waits, steps = [], iter(script)

        class Stub(Client):
            def get(self, target, *, fresh=False):
                if not target.endswith("version"):
                    return stub_result(entries[int(target[-4:]) - 1])
                step = next(steps)
                if isinstance(step, Exception):
                    raise step
                return stub_result(entries[step - 1])

        client = Stub("https://api.example.org", wait=waits.append)
        found = []
        try:
            for version in client.watch(after=after):
                found.append(version.data["snapshotId"])
        except Exception as error:
            return found, waits, error
        raise AssertionError("expected no end")

    def test_yields_each_version_once(self):
        found, waits, _ = self.watch([1, 1, 3, 2, 3])
        self.assertEqual(found, ["VS-0001", "VS-0002", "VS-0003"])
        self.assertEqual(waits, [120] * 5)
        self.assertEqual(self.watch([3], after=self.entries[0])[0], ["VS-0002", "VS-0003"])
        self.assertEqual(self.watch([3])[0], ["VS-0003"])

    def test_waits_longer_after_each_failure(self):
        away = ConnectionError("away")
        found, waits, _ = self.watch([1, away, away, away, away, away, 2])
        self.assertEqual(found, ["VS-0001", "VS-0002"])
        for wait, longest in zip(waits[1:6], (240, 480, 900, 900, 900)):
            self.assertTrue(longest / 2 <= wait <= longest, waits)
        self.assertEqual(waits[6], 120)

    def test_ends_with_what_does_not_pass(self):
        found, _, error = self.watch([1, ConnectionError("moved", is_final=True)])
        self.assertEqual((found, str(error)), (["VS-0001"], "moved"))
        rewritten = json.loads((VECTORS / "history" / "good-unknown-member.json").read_text("utf-8"))["entries"]
        found, _, error = self.watch([2], after=rewritten[1], entries=self.entries)
        self.assertEqual((found, error.code), ([], "REWRITTEN"))
        found, _, error = self.watch([3], after=rewritten[1], entries=self.entries)
        self.assertIsInstance(error, HistoryError)
        self.assertEqual((found, error.code), ([], "BROKEN"))


def stub_result(entry):
    from public_api import Verified

    response = HttpResponse("GET", "/", 200, [("Cache-Control", "public, max-age=120")], b"")
    return Verified(
        data=entry, etag="", key_id="", proved_at_ms=0, request_id=None, rate_limit=None, response=response
    )


if __name__ == "__main__":
    unittest.main()
