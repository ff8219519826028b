"""Prints the cases of a file, [text, canonical text] each, whose canonical text is another one."""

import json
import sys

from public_api.canonical_json import canonical_json, parse_json

with open(sys.argv[1], encoding="utf-8") as file:
    cases = json.load(file)
for text, expected in cases:
    value, has_doubles = parse_json(text.encode())
    found = canonical_json(value, has_doubles=has_doubles).decode()
    if found != expected:
        print(json.dumps([text, expected, found]))
print(len(cases), "cases")
