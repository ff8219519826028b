"""Verifies one saved response in rounds that alternate with the cryptography alone, and prints CPU times as JSON."""

import base64
import hashlib
import json
import sys
import time

from public_api import import_key, verify_response


def main(file, rounds, checks):
    with open(file, encoding="utf-8") as saved_file:
        saved = json.load(saved_file)
    body = base64.b64decode(saved["bodyBase64"])
    fields = {name.lower(): value for name, value in saved["headers"]}
    signed_at, digest = fields["x-svc-signed-at"], fields["content-digest"]
    target, status = saved["target"], saved["status"]
    text = "\n".join(["svc-response-v1", "GET", target, str(status), signed_at, digest]).encode()
    signature = base64.b64decode(fields["x-svc-signature"])
    key = import_key(saved["key"])

    def verify():
        verify_response(
            method="GET",
            target=target,
            status=status,
            headers=saved["headers"],
            body=body,
            keys=[key],
            now_ms=saved["nowMs"],
        )

    def check_cryptography_alone():
        key.public_key.verify(signature, text)
        hashlib.sha256(body).digest()

    def measure_round(check):
        before = time.process_time_ns()
        for _ in range(checks):
            check()
        return (time.process_time_ns() - before) / 1000 / checks

    measured = [(measure_round(verify), measure_round(check_cryptography_alone)) for _ in range(rounds + 1)]
    # The first round is the warm-up.
    client, cryptography = zip(*measured[1:])
    print(json.dumps({"clientMicros": client, "cryptographyMicros": cryptography}))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
