"""What a reader remembers of everything it has verified, so that it never goes back, nor to another history."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Mapping, Optional

from .errors import CopyError
from .instant import format_instant
from .resources import READ_PATHS


@dataclass(frozen=True)
class Proof:
    """Which data was signed as current, and when."""

    etag: str
    proved_at_ms: int
    #: The version that names the data; None for a response of the service itself.
    entry: Optional[Mapping[str, Any]]

    def is_after(self, other: Proof) -> bool:
        """Whether this is newer: of a later version, else signed later. A response of the service does not say its
        version."""
        if self.entry is not None and other.entry is not None:
            steps = self.entry["sequence"] - other.entry["sequence"]
            if steps != 0:
                return bool(steps > 0)
        return self.proved_at_ms > other.proved_at_ms


class ReaderMemory:
    """Of one reader, for all its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: Optional[Mapping[str, Any]] = None
        self._proofs: dict[str, Proof] = {}

    def learn_version(self, entry: Optional[Mapping[str, Any]], is_of_service: bool) -> None:
        """Remembers a version. Of two with one number, that of the service replaces that of a copy."""
        with self._lock:
            if entry is None:
                return
            known = self._newest["sequence"] if self._newest is not None else 0
            if entry["sequence"] > known or (is_of_service and entry["sequence"] == known):
                self._newest = entry

    def learn_proof(self, target: str, proof: Proof) -> None:
        """Remembers what proved a resource, unless a later proof is known."""
        with self._lock:
            last = self._proofs.get(target)
            if last is None or proof.proved_at_ms >= last.proved_at_ms:
                self._proofs[target] = proof

    def require_same_history(self, entry: Mapping[str, Any]) -> None:
        """Raises a CopyError unless a version of a copy can belong to one history with the newest version."""
        newest = self._newest
        if newest is None:
            return
        pairs = {
            -1: (entry["hash"], newest["previousHash"]),
            0: (entry["hash"], newest["hash"]),
            1: (entry["previousHash"], newest["hash"]),
        }
        steps = entry["sequence"] - newest["sequence"]
        found, expected = pairs.get(steps, ("", ""))
        if found == expected:
            return
        other = "the version before" if steps == 1 else "this version"
        raise CopyError(
            "OTHER_HISTORY",
            f"{entry['snapshotId']} is of another history than the verified {newest['snapshotId']}: "
            f"expected the hash {expected} of {other}, found {found}",
        )

    def age_of(self, target: str, proof: Proof) -> Optional[str]:
        """In which way a proof is older than what was verified before; None if it is not."""
        with self._lock:
            newest, last = self._newest, self._proofs.get(target)
        name = "a response" if proof.entry is None else proof.entry["snapshotId"]
        if newest is not None and proof.entry is not None and proof.entry["sequence"] < newest["sequence"]:
            return f"{name} is older than {newest['snapshotId']}, which was verified before"
        # The number of a version says more than the time at which a node of the service signed it.
        if target == READ_PATHS["version"] or last is None or last.etag == proof.etag:
            return None
        if last.proved_at_ms <= proof.proved_at_ms:
            return None
        times = (format_instant(proof.proved_at_ms), format_instant(last.proved_at_ms))
        return f"{name}, signed at {times[0]}, is older than what was verified as of {times[1]}"
