import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { cosignedText, formatCheckpoint } from '@public-api/client-internal/log/checkpoint'
import { createHashTree, type HashTree } from '@public-api/client-internal/log/hash-tree'
import { hashLeaf, rootOf } from '@public-api/client-internal/log/merkle-tree'
import {
  COSIGNATURE,
  ED25519,
  formatSignatureLine,
  formatVkey,
  keyIdOf,
} from '@public-api/client-internal/log/signed-note'

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** A key for notes. Its seed is one byte, repeated. */
export interface NoteSigner {
  readonly name: string
  readonly key: KeyObject
  readonly vkey: string
  /** The signature line of a log over a checkpoint. */
  sign(text: string): Promise<string>
  /** The line of a witness over a checkpoint at a time, in seconds since 1970. */
  cosign(text: string, atSeconds: number): Promise<string>
  /** A signed note with one more line: that of a witness who cosigned it some minutes ago. */
  cosignNote(note: string, minutesAgo: number): Promise<string>
}

async function noteSigner(name: string, type: number, seed: number): Promise<NoteSigner> {
  const der = Buffer.concat([PKCS8_PREFIX, Buffer.alloc(32, seed)])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  const publicKey = Buffer.from(x, 'base64url')
  const keyId = await keyIdOf(name, type, publicKey)
  const signer: NoteSigner = {
    name,
    key,
    vkey: await formatVkey(name, type, publicKey),
    async sign(text) {
      return formatSignatureLine(name, keyId, sign(null, Buffer.from(text), key))
    },
    async cosign(text, atSeconds) {
      const time = Buffer.alloc(8)
      time.writeBigUInt64BE(BigInt(atSeconds))
      const signature = sign(null, Buffer.from(cosignedText(text, atSeconds)), key)
      return formatSignatureLine(name, keyId, Buffer.concat([time, signature]))
    },
    async cosignNote(note, minutesAgo) {
      const text = note.slice(0, note.indexOf('\n\n') + 1)
      return note + (await signer.cosign(text, Math.floor(Date.now() / 1000) - minutesAgo * 60))
    },
  }
  return signer
}

export function witnessSigner(name: string, seed: number): Promise<NoteSigner> {
  return noteSigner(name, COSIGNATURE, seed)
}

/** A signed log of texts, in any size up to the given one; `forkedAt` gives the later entries other texts. */
export async function logFixture(
  maxSize: number,
  { forkedAt = Infinity }: { readonly forkedAt?: number } = {},
) {
  const log = await noteSigner('api.example.org/log', ED25519, 1)
  const leaves = await Promise.all(
    Array.from({ length: maxSize }, (_, index) =>
      hashLeaf(`${index < forkedAt ? 'entry' : 'forged'} ${index}`),
    ),
  )
  const tree = (size: number): Promise<HashTree> =>
    createHashTree(Buffer.concat(leaves.slice(0, size)))
  return {
    log,
    policy: `log ${log.vkey}\nquorum none\n`,
    tree,
    async note(size: number) {
      const root = await rootOf(await tree(size), size)
      const text = formatCheckpoint({ origin: log.name, size, root })
      return `${text}\n${await log.sign(text)}`
    },
  }
}
