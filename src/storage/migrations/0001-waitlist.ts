/**
 * The waitlist.
 *
 * `registrations` is the list. With AUTOINCREMENT a position is never reused, not even after an erasure. The short columns
 * precede the long one, so that counting does not read overflow pages.
 *
 * `decoys` has the same columns and contains random bytes: a repeated address is written here (see sqlite-waitlist.ts). A
 * change of one table applies to the other.
 */
export const WAITLIST_MIGRATION = `
  CREATE TABLE recipients (
    id INTEGER PRIMARY KEY,
    recipient TEXT NOT NULL UNIQUE
  ) STRICT;

  CREATE TABLE registrations (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    address_hash BLOB NOT NULL UNIQUE CHECK (length(address_hash) = 32),
    ticket TEXT NOT NULL,
    recipient_id INTEGER NOT NULL REFERENCES recipients (id),
    registered_at_ms INTEGER NOT NULL,
    sealed BLOB NOT NULL
  ) STRICT;

  CREATE TABLE decoys (
    slot INTEGER PRIMARY KEY,
    address_hash BLOB NOT NULL UNIQUE CHECK (length(address_hash) = 32),
    ticket TEXT NOT NULL,
    recipient_id INTEGER NOT NULL REFERENCES recipients (id),
    registered_at_ms INTEGER NOT NULL,
    sealed BLOB NOT NULL
  ) STRICT;
`
