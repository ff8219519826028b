// Signed notes and verifier keys: c2sp.org/signed-note.

import { importEd25519, importMlDsa44, sha256 } from '#crypto'
import { decodeCanonicalBase64, encodeBase64 } from '../base64.ts'
import { isCanonicalPoint, isCanonicalSignature } from '../ed25519.ts'
import { LogError } from './log-error.ts'

/** One post-quantum signature has 3,266 bytes as a line, and 16 signatures must be accepted. */
export const MAX_NOTE_BYTES = 131_072
const MAX_SIGNATURES = 64

/** Signature type of a log's checkpoint. */
export const ED25519 = 0x01
/** Signature type of a witness: Ed25519 over the checkpoint and the time. */
export const COSIGNATURE = 0x04
/** Signature type of ML-DSA-44 over a subtree (c2sp.org/tlog-cosignature), of a witness or a log. */
export const ML_DSA_44 = 0x06

const TYPE_NAMES: { readonly [type: number]: string } = {
  [ED25519]: '1 (Ed25519)',
  [COSIGNATURE]: '4 (cosignature)',
  [ML_DSA_44]: '6 (ML-DSA-44)',
}
const ML_DSA_44_KEY_BYTES = 1312
const SIGNATURE_BYTES: { readonly [type: number]: number } = {
  [ED25519]: 64,
  [COSIGNATURE]: 64,
  [ML_DSA_44]: 2420,
}

const encoder = new TextEncoder()

/** One signature line of a note. */
export interface NoteSignature {
  /** Line of the note, from 1. */
  readonly line: number
  /** Name of the key. */
  readonly name: string
  /** Four bytes in hexadecimal. */
  readonly keyId: string
  /** What follows the key ID. */
  readonly signature: Uint8Array
}

/** A note, split; nothing of it is verified. */
export interface SignedNote {
  /** The signed text with its last line break. */
  readonly text: string
  /** In the order of their lines. */
  readonly signatures: readonly NoteSignature[]
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Refuses texts beyond a limit and control characters. `what` names the input in messages. */
export function checkNoteText(what: string, text: string, maxBytes: number, allowed = '\n'): void {
  if (text.length > maxBytes || encoder.encode(text).length > maxBytes) {
    throw new LogError('MALFORMED', `${what} has more than ${maxBytes} bytes`)
  }
  for (const [index, line] of text.split('\n').entries()) {
    for (const character of line) {
      if (character >= ' ' || allowed.includes(character)) continue
      throw new LogError('MALFORMED', `${what}, line ${index + 1}: a control character`)
    }
  }
}

const KEY_NAME = /^[^\p{White_Space}+]+$/u
const MAX_KEY_NAME_BYTES = 255

/** Whether a text may be the name of a key: no space of Unicode and no plus sign. */
function isKeyName(name: string): boolean {
  return KEY_NAME.test(name) && encoder.encode(name).length <= MAX_KEY_NAME_BYTES
}

/** Splits a note into its text and signatures. Throws a LogError (MALFORMED) with the line. */
export function parseNote(note: string, what = 'the note'): SignedNote {
  checkNoteText(what, note, MAX_NOTE_BYTES)
  const split = note.lastIndexOf('\n\n')
  if (split === -1 || !note.endsWith('\n')) {
    const expected = 'expected an empty line before the signatures, and a line break at the end'
    throw new LogError('MALFORMED', `${what}: ${expected}`)
  }
  const text = note.slice(0, split + 1)
  const firstLine = text.split('\n').length + 1
  const lines = note.slice(split + 2, -1).split('\n')
  if (lines.length > MAX_SIGNATURES) {
    throw new LogError('MALFORMED', `${what} has more than ${MAX_SIGNATURES} signatures`)
  }
  const signatures = lines.map((line, index) => parseSignatureLine(line, firstLine + index, what))
  return { text, signatures }
}

/** Parses one signature line: an em dash, the name and the signature in base64. */
export function parseSignatureLine(line: string, number: number, what: string): NoteSignature {
  const [dash, name = '', base64 = '', ...rest] = line.split(' ')
  const bytes = decodeCanonicalBase64(base64)
  if (dash !== '\u2014' || !isKeyName(name) || rest.length > 0) {
    const expected = 'expected an em dash, the name of a key and a signature in base64'
    throw new LogError('MALFORMED', `${what}, line ${number}: ${expected}`)
  }
  if (bytes === undefined || bytes.length < 5) {
    throw new LogError('MALFORMED', `${what}, line ${number}: the signature is not base64`)
  }
  const [keyId, signature] = [hexOf(bytes.subarray(0, 4)), bytes.subarray(4)]
  return { line: number, name, keyId, signature }
}

/** The line of a signature, with its line break. */
export function formatSignatureLine(name: string, keyId: string, signature: Uint8Array): string {
  const bytes = new Uint8Array(4 + signature.length)
  new DataView(bytes.buffer).setUint32(0, Number.parseInt(keyId, 16))
  bytes.set(signature, 4)
  return `\u2014 ${name} ${encodeBase64(bytes)}\n`
}

/** The key ID of a public key: the first four bytes of a hash over name, type and key. */
export async function keyIdOf(name: string, type: number, publicKey: Uint8Array): Promise<string> {
  const prefix = encoder.encode(`${name}\n`)
  const hashed = new Uint8Array(prefix.length + 1 + publicKey.length)
  hashed.set(prefix)
  hashed[prefix.length] = type
  hashed.set(publicKey, prefix.length + 1)
  return hexOf((await sha256(hashed)).subarray(0, 4))
}

/** The verifier key of an Ed25519 public key: `name+key ID+base64`. */
export async function formatVkey(
  name: string,
  type: number,
  publicKey: Uint8Array,
): Promise<string> {
  const typed = new Uint8Array(1 + publicKey.length)
  typed[0] = type
  typed.set(publicKey, 1)
  return `${name}+${await keyIdOf(name, type, publicKey)}+${encodeBase64(typed)}`
}

/** A public key that verifies signature lines. */
export interface NoteKey {
  /** The key as it was written. */
  readonly vkey: string
  /** The name of the log or witness. */
  readonly name: string
  /** Four bytes in hexadecimal. */
  readonly keyId: string
  /** Signature type. */
  readonly type: number
  /** Whether this platform can check its signatures. If not, the key counts as absent. */
  readonly isCheckable: boolean
  /** Whether bytes are this key's signature over a text or other bytes. */
  isSignatureOf(signature: Uint8Array, signed: string | Uint8Array): Promise<boolean>
}

/**
 * Reads a verifier key of one of the expected types. Throws a LogError (MALFORMED): its key ID must follow from name and
 * key, and the key must be a usable public key. One of ML-DSA-44 is read on every platform.
 */
export async function importVkey(
  vkey: string,
  types: readonly number[],
  place: string,
): Promise<NoteKey> {
  const refuse = (fault: string): never => {
    throw new LogError('MALFORMED', `${place}: ${fault}`)
  }
  const [, name = '', keyId = '', base64 = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(vkey) ?? []
  const typed = decodeCanonicalBase64(base64)
  if (!isKeyName(name) || typed === undefined) {
    return refuse('expected a key as name+8 hexadecimal digits+base64')
  }
  const [type = 0] = typed
  if (!types.includes(type)) {
    const expected = types.map((each) => TYPE_NAMES[each]).join(' or ')
    return refuse(`the key has signature type ${type}; expected ${expected}`)
  }
  const publicKey = typed.slice(1)
  const isUsable =
    type === ML_DSA_44
      ? publicKey.length === ML_DSA_44_KEY_BYTES
      : publicKey.length === 32 && isCanonicalPoint(publicKey)
  if (!isUsable) {
    const algorithm = type === ML_DSA_44 ? 'ML-DSA-44' : 'Ed25519'
    return refuse(`the key is not a usable ${algorithm} public key`)
  }
  if ((await keyIdOf(name, type, publicKey)) !== keyId) {
    return refuse('the key ID does not follow from the name and the key')
  }
  const check = await (type === ML_DSA_44 ? importMlDsa44 : importEd25519)(publicKey)
  return {
    vkey,
    name,
    keyId,
    type,
    isCheckable: check !== undefined,
    async isSignatureOf(signature, signed) {
      const isSized = signature.length === SIGNATURE_BYTES[type]
      if (check === undefined || !isSized) return false
      if (type !== ML_DSA_44 && !isCanonicalSignature(signature)) return false
      return check(signature, typeof signed === 'string' ? encoder.encode(signed) : signed)
    },
  }
}
