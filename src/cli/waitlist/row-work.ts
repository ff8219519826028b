import { type Opener, createOpener, createSealer, SealError } from '../../crypto/sealed-box.ts'
import {
  parseWaitlistEntry,
  type WaitlistEntry,
  WaitlistEntryError,
} from '../../service/waitlist-entry.ts'
import type { Reseal, StoredRegistration } from '../../storage/waitlist-store.ts'
import { type ExportFormat, formatExportRow } from './export-rows.ts'

/** A registration that could not be opened, or is not what its row says. */
export interface RowProblem {
  readonly position: number
  readonly ticket: string
  readonly reason: string
}

/** What is to be done with rows. */
export type RowTask =
  | { readonly kind: 'export'; readonly format: ExportFormat }
  | { readonly kind: 'reseal'; readonly recipient: string }

/** What became of some rows: text for the file, or seals for the store, in the order of the rows. */
export interface RowsDone {
  readonly text: Uint8Array
  readonly seals: readonly Reseal[]
  /** How many went well. */
  readonly count: number
  readonly problems: readonly RowProblem[]
}

class RowFault extends Error {}

interface OpenedRow {
  readonly plain: Uint8Array
  readonly entry: WaitlistEntry
}

/** Opens a row and compares what is sealed with what stands beside it: a swapped seal would show another person's ticket. */
async function openRow(row: StoredRegistration, opener: Opener): Promise<OpenedRow> {
  const plain = await opener.open(row.sealed)
  const entry = parseWaitlistEntry(plain)
  if (entry.ticket !== row.ticket) {
    throw new RowFault('what is sealed in it belongs to another ticket')
  }
  if (Date.parse(entry.registeredAt) !== row.registeredAtMs) {
    throw new RowFault('what is sealed in it belongs to another time')
  }
  return { plain, entry }
}

function reasonOf(error: unknown, row: StoredRegistration): string {
  if (error instanceof SealError) {
    return error.code === 'NO_IDENTITY_FITS'
      ? `it is sealed to ${row.recipient}, whose identity is not here, or its beginning is damaged`
      : error.message
  }
  if (error instanceof WaitlistEntryError || error instanceof RowFault) return error.message
  throw error
}

/** An age file of one X25519 stanza, up to its payload. */
const SEAL_HEADER =
  /^age-encryption\.org\/v1\n-> X25519 [A-Za-z0-9+/]{43}\n[A-Za-z0-9+/]{43}\n--- [A-Za-z0-9+/]{43}\n/
const PAYLOAD_NONCE_BYTES = 16
const TAG_BYTES = 16

/**
 * Whether a new seal has the form and the length that these bytes sealed must have. Only the new identity could tell
 * more; where it is among the opener's, it is asked.
 */
async function isGoodSeal(
  sealed: Uint8Array,
  plain: Uint8Array,
  recipient: string,
  opener: Opener,
): Promise<boolean> {
  const header = SEAL_HEADER.exec(Buffer.from(sealed.subarray(0, 256)).toString('latin1'))?.[0]
  if (header === undefined) return false
  if (sealed.length !== header.length + PAYLOAD_NONCE_BYTES + plain.length + TAG_BYTES) return false
  if (!opener.recipients.includes(recipient)) return true
  return Buffer.from(plain).equals(await opener.open(sealed))
}

/** The work on rows with some identities. Rejects for a recipient or an identity that is none. */
export async function createRowWork(
  identities: readonly string[],
  task: RowTask,
): Promise<(rows: readonly StoredRegistration[]) => Promise<RowsDone>> {
  const opener = await createOpener(identities)
  const sealer = task.kind === 'reseal' ? createSealer(task.recipient) : undefined

  async function reseal(row: StoredRegistration, plain: Uint8Array): Promise<Reseal | undefined> {
    if (sealer === undefined) return undefined
    const sealed = await sealer.seal(plain)
    if (!(await isGoodSeal(sealed, plain, sealer.recipient, opener))) {
      throw new RowFault('its new seal is not what was to be sealed; the row was left as it is')
    }
    const { position, recipient: fromRecipient } = row
    return { position, fromRecipient, recipient: sealer.recipient, sealed }
  }

  return async (rows) => {
    const lines: string[] = []
    const seals: Reseal[] = []
    const problems: RowProblem[] = []
    for (const row of rows) {
      try {
        const { plain, entry } = await openRow(row, opener)
        if (task.kind === 'export') lines.push(formatExportRow(entry, task.format))
        const seal = await reseal(row, plain)
        if (seal !== undefined) seals.push(seal)
      } catch (error) {
        const { position, ticket } = row
        problems.push({ position, ticket, reason: reasonOf(error, row) })
      }
    }
    const count = rows.length - problems.length
    return { text: Buffer.from(lines.join(''), 'utf8'), seals, count, problems }
  }
}
