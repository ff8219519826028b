/**
 * The waitlist.
 *
 * `registrations` is the list. AUTOINCREMENT gives no position twice, also after an erasure. The short columns stand
 * before the long one, so that counting never follows a long row to its overflow pages.
 *
 * `decoys` has the same columns and holds nothing but random bytes: a repeated address is paid for here (see
 * sqlite-waitlist.ts). What changes in one of the two tables changes in the other.
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
