import type { Progress } from '@public-api/cli-kit/progress'
import { createDecryptor, createEncryptor } from '../../crypto/age-file.ts'
import type {
  Reseal,
  StoredRegistration,
  WaitlistStore,
} from '../../storage/stores/waitlist-store.ts'
import { type OpenedRow, openRows } from './open-rows.ts'

/**
 * Encrypts every row with another recipient to this one, page by page, each page in one transaction. A row has its old file
 * or its new one at any moment, so an interrupted run can be repeated. Rejects with an AgeError for an invalid recipient or
 * identity, and with a StorageError.
 *
 * Of the counted rows, `already` had the recipient, `changedMeanwhile` were erased or changed between reading and writing,
 * and `failed` could not be decrypted or do not match their columns. Those are unchanged.
 */
export async function resealWaitlist({
  store,
  identities,
  recipient,
  progress,
}: {
  readonly store: Pick<WaitlistStore, 'readAfter' | 'reseal'>
  /** age identities that decrypt the rows, at least one. */
  readonly identities: readonly string[]
  readonly recipient: string
  /** Counts the rows that had another recipient, and prints those that are left unchanged because of a failure. */
  readonly progress?: Pick<Progress, 'advance' | 'print'>
}) {
  const encryptor = createEncryptor(recipient)
  const decryptor = await createDecryptor(identities)
  let [resealed, already, changedMeanwhile, failed] = [0, 0, 0, 0]

  async function resealRow({ row, plain }: OpenedRow): Promise<Reseal> {
    const sealed = await encryptor.encrypt(plain)
    // The old file is overwritten, so the new one is verified if its identity is known.
    if (decryptor.recipients.includes(recipient)) {
      const decrypted = await decryptor.decrypt(sealed)
      if (!Buffer.from(plain).equals(decrypted)) {
        throw new Error(`ticket ${row.ticket}: the new file does not decrypt to the old content`)
      }
    }
    return { position: row.position, fromRecipient: row.recipient, recipient, sealed }
  }

  const needsReseal = (row: StoredRegistration) => row.recipient !== recipient
  for await (const { read, opened, failures } of openRows(store, decryptor, needsReseal)) {
    const seals = await Promise.all(opened.map(resealRow))
    const written = seals.length === 0 ? 0 : await store.reseal(seals)
    resealed += written
    changedMeanwhile += seals.length - written
    failed += failures.length
    const others = seals.length + failures.length
    already += read - others
    for (const failure of failures) progress?.print(failure)
    progress?.advance(others)
  }
  return { resealed, already, changedMeanwhile, failed }
}
