"""Prints the verdict on each case of a JSON list: ``ok`` with the codes of the warnings, or a code."""

import json
import sys

from test_vectors import outcome_of, verify_history, verify_key_vector, verify_log_vector, warnings_of


def verdict_of(vector):
    try:
        if "policy" in vector:
            return outcome_of(verify_log_vector, vector)
        if "keyRequest" in vector:
            return outcome_of(verify_key_vector, vector)
        if "entries" in vector:
            return outcome_of(verify_history, vector["entries"])
        found = []
        outcome = outcome_of(lambda: found.extend(warnings_of(vector)))
        return " ".join([outcome, *found])
    except Exception as error:
        return f"threw {error!r}"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(json.dumps([verdict_of(vector) for vector in json.load(file)]))
