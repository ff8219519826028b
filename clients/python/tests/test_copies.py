"""Runs the cases of test/vectors/fallback."""

import base64
import json
import os
import pathlib
import re
import tempfile
import unittest

from public_api import Client, ConnectionError
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
            "keyId": result.key_id,
            "provedAt": format_instant(result.proved_at_ms),
            "ageSeconds": result.age_seconds,
            "data": result.data,
            "warnings": result.warnings,
        }

    def test_cases(self):
        files = sorted(pathlib.Path(os.environ.get("FALLBACK_VECTORS", VECTORS / "fallback")).glob("*.json"))
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


if __name__ == "__main__":
    unittest.main()
