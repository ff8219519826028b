// Checkpoints: c2sp.org/tlog-checkpoint. Cosignatures of types 0x04 and 0x06: c2sp.org/tlog-cosignature.

import { decodeCanonicalBase64, encodeBase64 } from '../base64.ts'
import { LogError } from './log-error.ts'
import {
  ML_DSA_44,
  type NoteKey,
  type NoteSignature,
  parseNote,
  type SignedNote,
} from './signed-note.ts'

/** A tree of a log. */
export interface TreeHead {
  /** Identity of the log. */
  readonly origin: string
  /** Number of entries. */
  readonly size: number
  /** Root over them: 32 bytes. */
  readonly root: Uint8Array
}

/** The text that a log signs. */
export function formatCheckpoint({ origin, size, root }: TreeHead): string {
  return `${origin}\n${size}\n${encodeBase64(root)}\n`
}

const SIZE = /^(?:0|[1-9]\d{0,15})$/

/** A decimal number without leading zeros, up to 2^53 - 1; undefined for other texts. */
export function parseSize(text: string): number | undefined {
  const size = SIZE.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(size) ? size : undefined
}

/** Parses the text of a checkpoint; lines after the third are extensions. Throws a LogError (MALFORMED) with the line. */
function parseCheckpoint(text: string, what = 'the checkpoint'): TreeHead {
  const [origin = '', sizeLine = '', rootLine = ''] = text.split('\n')
  const refuse = (line: number, expected: string): never => {
    throw new LogError('MALFORMED', `${what}, line ${line}: expected ${expected}`)
  }
  if (origin === '') return refuse(1, 'the origin of the log')
  const size = parseSize(sizeLine)
  if (size === undefined) return refuse(2, 'the size of the tree in decimal')
  const root = decodeCanonicalBase64(rootLine, 32)
  if (root === undefined) return refuse(3, 'the root hash, 32 bytes in base64')
  return { origin, size, root }
}

/** A checkpoint with its signatures; nothing of it is verified. */
export interface SignedCheckpoint extends TreeHead, SignedNote {}

/** Parses a signed checkpoint. Throws a LogError (MALFORMED) with the line. */
export function parseSignedCheckpoint(note: string, what = 'the checkpoint'): SignedCheckpoint {
  const signed = parseNote(note, what)
  return { ...parseCheckpoint(signed.text, what), ...signed }
}

/** The text that a witness signs at a time, in seconds since 1970. */
export function cosignedText(checkpointText: string, atSeconds: number): string {
  return `cosignature/v1\ntime ${atSeconds}\n${checkpointText}`
}

const encoder = new TextEncoder()

/** What ML-DSA-44 signs of a tree: the structure cosigned_message, from its first leaf on. */
function cosignedSubtree(
  cosigner: string,
  { origin, size, root }: TreeHead,
  atSeconds: number,
): Uint8Array {
  const [name, log] = [encoder.encode(cosigner), encoder.encode(origin)]
  return Uint8Array.of(
    ...encoder.encode('subtree/v1\n\0'),
    name.length,
    ...name,
    ...uint64(atSeconds),
    log.length,
    ...log,
    ...uint64(0),
    ...uint64(size),
    ...root,
  )
}

function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

/** Bytes of the time before a cosignature. */
const TIME_BYTES = 8

/** The time of a valid cosignature, in seconds since 1970; undefined if it is not valid. */
export async function cosignatureTime(
  key: NoteKey,
  { signature }: NoteSignature,
  checkpoint: SignedCheckpoint,
): Promise<number | undefined> {
  if (signature.length <= TIME_BYTES) return undefined
  const seconds = new DataView(signature.buffer, signature.byteOffset, TIME_BYTES).getBigUint64(0)
  if (seconds > BigInt(Number.MAX_SAFE_INTEGER)) return undefined
  const time = Number(seconds)
  const signed =
    key.type === ML_DSA_44
      ? cosignedSubtree(key.name, checkpoint, time)
      : cosignedText(checkpoint.text, time)
  return (await key.isSignatureOf(signature.subarray(TIME_BYTES), signed)) ? time : undefined
}

/** Whether a signature line states this key. Name and key ID must both match. */
export function isLineOf(key: NoteKey, { name, keyId }: NoteSignature): boolean {
  return key.name === name && key.keyId === keyId
}
