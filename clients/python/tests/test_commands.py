"""What the commands print, save and return when something fails."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

from public_api import AuditStateError, HistoryError, UnsettledError, VerificationError, target_of
from public_api.__main__ import _for_terminal, main
from public_api.audit import _Store

TESTS = pathlib.Path(__file__).resolve().parents[3] / "test"


def run(*arguments, error):
    """Runs an audit that ends with an error. Returns the status, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch(
        "public_api.__main__.audit_history", side_effect=error
    ):
        status = main(["audit", "https://api.example.org", "--pin", "A" * 43, *arguments])
    return status, out.getvalue(), err.getvalue()


def rewritten():
    error = HistoryError("REWRITTEN", "VS-0001", "a", "b")
    error.evidence = {"fault": "REWRITTEN"}
    return error


class CommandsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_what_proves_nothing_is_not_a_finding(self):
        unsettled = UnsettledError("a new version was published")
        for error in (OSError(28, "No space left on device"), PermissionError(13, "Permission denied"), unsettled):
            status, out, err = run(error=error)
            self.assertEqual((status, out, err.count("\n")), (3, "", 1), err)
        self.assertEqual((unsettled.code, err), ("UNSETTLED", f"error: {unsettled}\n"))

    def test_evidence_is_never_replaced(self):
        name = str(self.folder / "evidence.json")
        for expected in ("evidence.json", "evidence-2.json", "evidence-3.json"):
            status, out, err = run("--evidence", name, error=rewritten())
            self.assertEqual((status, out, err.split(":")[0]), (1, "", "REWRITTEN"))
            self.assertIn(expected, err)
            self.assertEqual(json.loads((self.folder / expected).read_text()), {"fault": "REWRITTEN"})

    def test_evidence_that_cannot_be_saved_is_printed(self):
        status, out, err = run("--evidence", str(self.folder / "none" / "a"), error=rewritten())
        self.assertEqual((status, json.loads(out), err.split(":")[0]), (1, {"fault": "REWRITTEN"}, "REWRITTEN"))

    def test_a_full_disk_leaves_no_part_of_the_evidence(self):
        with mock.patch("public_api.__main__.os.fsync", side_effect=OSError(28, "No space left on device")):
            status, out, _ = run("--evidence", str(self.folder / "a.json"), error=rewritten())
        self.assertEqual((status, json.loads(out)), (1, {"fault": "REWRITTEN"}))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_target_begins_with_a_slash(self):
        for rest, target in ("", "/"), ("?x", "/?x"), ("/a?", "/a?"), ("//a#b", "//a"), ("#/a", "/"):
            self.assertEqual(target_of(f"https://api.example.org{rest}"), target)

    def test_a_server_cannot_control_the_terminal(self):
        for letter in "\x1b", "\x9b", "\r", "\n", "\u202e", "\u2028":
            _, _, err = run(error=VerificationError("ETAG", f"found {letter}[2J" + "x" * 100_000))
            self.assertTrue(err.startswith("ETAG: found  [2J"), err[:40])
            self.assertLess(len(err), 3000)

    def test_a_body_cannot_control_the_terminal(self):
        text = '{"a":"\u009b2J\u202e\U000e0001\u0e01\\n"}\n'
        shown = _for_terminal(text.encode()).decode()
        self.assertEqual(shown, '{"a":"\\u009b2J\\u202e\\udb40\\udc01\u0e01\\n"}\n')
        self.assertEqual(json.loads(shown), json.loads(text))

    def test_mistakes_in_files(self):
        for content, found in (
            ("{}".encode("utf-16"), "UTF-16"),
            ("{}".encode("utf-8-sig"), "a byte order mark"),
            (b"HTTP/1.1 200 OK\r\n", "the JSON that an audit saved"),
            (None, "a regular file"),
        ):
            name = self.folder / str(len(os.listdir(self.folder)))
            name.mkdir() if content is None else name.write_bytes(content)
            with contextlib.redirect_stderr(io.StringIO()) as err:
                status = main(["audit", "https://api.example.org", "--pin", "A" * 43, "--state", str(name)])
            self.assertEqual(status, 2)
            self.assertIn(found, err.getvalue())

    def test_states(self):
        shared = json.loads((TESTS / "clients" / "state-cases.json").read_text("utf-8"))
        store = _Store(self.folder / "state.json")
        for each in shared["cases"]:
            state = {**shared["state"], **each.get("with", {})}
            state.pop(each.get("without"), None)
            store.file.write_text(each.get("text", json.dumps(state)), "utf-8")
            with self.subTest(each["name"]):
                if each["expected"] == "ok":
                    self.assertEqual(store.load(), state)
                else:
                    with self.assertRaises(AuditStateError) as raised:
                        store.load()
                    self.assertEqual(raised.exception.code, each["expected"])

    def test_wrong_addresses(self):
        for url in (
            "http://[", "https://user:secret@api.example.org", "api.example.org", "https://api.example.org/a b",
            "https://api.example.org/\u0e01", "https://api.example.org/?\u0e01",
        ):
            with contextlib.redirect_stderr(io.StringIO()) as err:
                self.assertEqual(main(["verify", url]), 2)
            self.assertNotIn("secret", err.getvalue())

    def test_a_key_id_may_start_with_dashes(self):
        for pin in ("-" + "A" * 42, "--" + "A" * 41):
            status, _, err = run("--pin", pin, error=VerificationError("ETAG", "found"))
            self.assertEqual((status, err), (1, "ETAG: found\n"))

    def test_a_full_disk_keeps_the_old_state(self):
        store = _Store(self.folder / "state.json")
        store.save({"a": 1})
        before = store.file.read_bytes()
        with mock.patch("os.fsync", side_effect=OSError(28, "No space left on device")):
            with self.assertRaises(OSError):
                store.save({"a": 2})
        self.assertEqual(store.file.read_bytes(), before)
        self.assertEqual(os.listdir(self.folder), ["state.json"])


if __name__ == "__main__":
    unittest.main()
