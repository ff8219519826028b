"""Runs the cases of test/vectors, which every client of this repository runs."""

import base64
import json
import pathlib
import unittest
from unittest import mock

from cryptography.exceptions import UnsupportedAlgorithm

from public_api import (
    VerificationError,
    import_key,
    open_policy,
    verify_checkpoint,
    verify_history,
    verify_key_document,
    verify_proof,
    verify_response,
)
from public_api.canonical_json import canonical_json, parse_json
from public_api.instant import format_instant, parse_instant

VECTORS = pathlib.Path(__file__).resolve().parents[3] / "test" / "vectors"
#: This client distinguishes some steps further than the vectors.
OUTCOMES = {"KEY_MALFORMED": "UNKNOWN_KEY"}


def verify_vector(vector):
    found = warnings_of(vector)
    if found != vector.get("warnings", []):
        raise AssertionError(f"expected the warnings {vector.get('warnings')}, found {found}")


def warnings_of(vector):
    """The codes of the warnings of a valid case."""
    request, response = vector["request"], vector["response"]
    renewal = vector.get("revalidation")
    names = {name.lower(): value for name, value in request["headers"]}
    verified = verify_response(
        method=request["method"],
        target=request["target"],
        status=response["status"],
        headers=response["headers"],
        body=base64.b64decode(response["bodyBase64"] or ""),
        keys=[import_key(vector["publicKey"])],
        now_ms=parse_instant(vector["now"]),
        pinned_key_ids=[vector["pinnedKeyId"]],
        max_age_seconds=vector["maxAgeSeconds"],
        if_none_match=names.get("if-none-match"),
        revalidated=None if renewal is None else renewal["headers"],
    )
    return [warning.split(":")[0] for warning in verified.warnings]


def has_ml_dsa_44():
    try:
        from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey

        MLDSA44PublicKey.from_public_bytes(bytes(1312))
    except (ImportError, UnsupportedAlgorithm):
        return False
    return True


HAS_ML_DSA_44 = has_ml_dsa_44()


def expected_of_log(vector):
    return vector["expected"] if HAS_ML_DSA_44 else vector.get("withoutMlDsa44", vector["expected"])


def verify_log_vector(vector):
    policy = open_policy(vector["policy"])
    options = {"now_ms": parse_instant(vector["now"]), "max_age_seconds": vector.get("maxAgeSeconds")}
    result, checkpoint = {}, None
    if "proof" in vector:
        for name in ("entry", "resource"):
            if f"{name}Base64" in vector:
                options[name] = base64.b64decode(vector[f"{name}Base64"])
        proved = verify_proof(vector["proof"], policy, **options)
        checkpoint = proved.checkpoint
        result = {"hash": proved.version["hash"], "resources": list(proved.resources)}
    else:
        checkpoint = verify_checkpoint(vector["note"], policy, **options)
    at_ms = checkpoint.witnessed_at_ms
    result["size"] = checkpoint.size
    result["root"] = base64.b64encode(checkpoint.root).decode()
    result["witnessedAt"] = None if at_ms is None else format_instant(at_ms)
    if result != vector.get("result", result):
        raise AssertionError(f"expected {vector['result']}, found {result}")


def verify_key_vector(vector):
    request, response = vector["keyRequest"], vector["response"]
    keys = verify_key_document(
        method=request["method"],
        target=request["target"],
        status=response["status"],
        headers=response["headers"],
        body=base64.b64decode(response["bodyBase64"] or ""),
        now_ms=parse_instant(vector["now"]),
        pinned_key_ids=vector["pinnedKeyIds"] or None,
    )
    found = [key.key_id for key in keys]
    if found != vector.get("keyIds", found):
        raise AssertionError(f"expected {vector['keyIds']}, found {found}")


def outcome_of(check, *arguments):
    try:
        check(*arguments)
        return "ok"
    except VerificationError as error:
        return OUTCOMES.get(error.code, error.code)


def read(folder):
    return [(file.stem, json.loads(file.read_text("utf-8"))) for file in sorted(folder.glob("*.json"))]


class VectorTest(unittest.TestCase):
    def test_responses(self):
        cases = read(VECTORS)
        self.assertGreater(len(cases), 60)
        for name, vector in cases:
            for moment in [vector, *({**vector, **link} for link in vector.get("chain", []))]:
                with self.subTest(name, now=moment["now"]):
                    self.assertEqual(outcome_of(verify_vector, moment), moment["expected"])

    def test_histories(self):
        cases = read(VECTORS / "history")
        self.assertGreater(len(cases), 40)
        for name, vector in cases:
            with self.subTest(name):
                self.assertEqual(outcome_of(verify_history, vector["entries"]), vector["expected"])

    def test_key_documents(self):
        cases = read(VECTORS / "keys")
        self.assertGreater(len(cases), 25)
        for name, vector in cases:
            with self.subTest(name):
                self.assertEqual(outcome_of(verify_key_vector, vector), vector["expected"])

    def test_an_unknown_log_is_named_with_its_key(self):
        vector = json.loads((VECTORS / "log" / "unknown-log.json").read_text("utf-8"))
        expected = r"expected a signature of \S+\+[0-9a-f]{8}, found origin \S+ signed by \S+\+[0-9a-f]{8}"
        with self.assertRaisesRegex(VerificationError, expected):
            verify_log_vector(vector)

    def test_an_outdated_pin_says_what_is_true(self):
        for name, retired in (
            ("pinned-key-retired", "was retired on 2026-11-20T00:00:00.000Z"),
            ("pinned-key-retired-today", "is retired"),
        ):
            vector = json.loads((VECTORS / "keys" / f"{name}.json").read_text("utf-8"))
            expected = (
                f"the pinned key {vector['pinnedKeyIds'][0]} {retired} and the current one is "
                "[A-Za-z0-9_-]{43}: check it against another source, such as `svc verify --pin-from`"
            )
            with self.subTest(name), self.assertRaisesRegex(VerificationError, expected):
                verify_key_vector(vector)

    def test_logs(self):
        cases = read(VECTORS / "log")
        self.assertGreater(len(cases), 40)
        for name, vector in cases:
            with self.subTest(name):
                self.assertEqual(outcome_of(verify_log_vector, vector), expected_of_log(vector))

    def test_a_witness_that_cannot_be_checked_is_named(self):
        vector = json.loads((VECTORS / "log" / "good-ml-dsa-44.json").read_text("utf-8"))
        # What stands for a cryptography, or an OpenSSL, without the algorithm.
        with mock.patch("importlib.import_module", side_effect=ImportError):
            with self.assertRaisesRegex(VerificationError, "UNWITNESSED.*; pq cosigned with ML-DSA-44"):
                verify_log_vector(vector)

    def test_a_malformed_log_is_named_by_its_line(self):
        whole = {"malformed-no-empty-line", "malformed-no-line-break", "policy-empty", "policy-no-quorum"}
        for name, vector in read(VECTORS / "log"):
            expected = expected_of_log(vector)
            if expected not in ("MALFORMED", "SIGNATURE") or name in whole:
                continue
            with self.subTest(name), self.assertRaisesRegex(VerificationError, r"the (policy|checkpoint|proof), line \d+: "):
                verify_log_vector(vector)
        too_many = f"c2sp.org/tlog-proof@v1\nindex 1\n{'A' * 43 + '='}\n" * 10_000 + "\n"
        with self.assertRaisesRegex(VerificationError, "the proof: expected at most [0-9]+ bytes"):
            verify_proof(too_many, open_policy(self.policy), now_ms=0)

    def test_half_of_a_character(self):
        # Only texts from JSON can contain one.
        for check in (open_policy, lambda text: verify_checkpoint(text, open_policy(self.policy), now_ms=0)):
            self.assertEqual(outcome_of(check, "log a\ud800b"), "MALFORMED")

    def test_what_other_verifiers_need_not_accept(self):
        # As the JavaScript client: only the data needs a canonical form, and a double is infinite beyond the largest.
        content, has_doubles = parse_json(rb'{"a\udc00":"\ud800","b":-1e999,"data":[1]}')
        self.assertEqual(canonical_json(content["data"], has_doubles=has_doubles), b"[1]")
        for text in (r'["\ud800"]', r'[1.5,"\udc00\ud800"]', "[1e999]", f"[{'9' * 400}]"):
            content, has_doubles = parse_json(text.encode())
            with self.subTest(text), self.assertRaises(ValueError):
                canonical_json(content, has_doubles=has_doubles)

    def test_instants(self):
        for text, milliseconds in (
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("0000-02-29T00:00:00.001Z", -62_162_121_599_999),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
            ("2100-02-29T00:00:00Z", None),
        ):
            self.assertEqual(parse_instant(text), milliseconds, text)

    policy = json.loads((VECTORS / "log" / "good-alone.json").read_text("utf-8"))["policy"]


if __name__ == "__main__":
    unittest.main()
