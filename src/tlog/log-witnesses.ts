import { parseSignedCheckpoint } from '@public-api/client-internal/log/checkpoint'
import type { TlogFiles } from './tlog-files.ts'

/** Who cosigned the served checkpoint, for the pages. */
export interface LogWitnesses {
  readonly origin: string
  /** Versions in the checkpoint. */
  readonly size: number
  /** Witnesses in the operator's policy. */
  readonly total: number
  /** Those that cosigned, by their names in the policy, and when. ISO 8601 UTC. */
  readonly cosigned: readonly { readonly name: string; readonly at: string }[]
}

// Only space and tab separate (c2sp.org/tlog-policy): other spaces are part of a name.
const WITNESS_LINE = /^[ \t]*witness[ \t]+([^ \t\n]+)[ \t]+([^ \t\n+]+)\+([0-9a-f]{8})\+/gm
/** The time with a signature of Ed25519, or of ML-DSA-44. */
const COSIGNATURE_BYTES: ReadonlySet<number> = new Set([72, 2428])
const MAX_SECONDS = 8.64e12

/**
 * Reads the cosignatures of the served checkpoint. They are not verified again: publishing verified them, and readers
 * verify them by a policy of their own. Undefined for a checkpoint that cannot be read.
 */
export function readLogWitnesses({ checkpoint, policy }: TlogFiles): LogWitnesses | undefined {
  const witnesses = [...policy.matchAll(WITNESS_LINE)]
  try {
    const { origin, size, signatures } = parseSignedCheckpoint(checkpoint ?? '')
    const cosigned = witnesses.flatMap(([, name = '', key = '', keyId = '']) => {
      const line = signatures.find((each) => each.name === key && each.keyId === keyId)
      if (line === undefined || !COSIGNATURE_BYTES.has(line.signature.length)) return []
      const seconds = Number(Buffer.from(line.signature).readBigUInt64BE(0))
      return seconds > MAX_SECONDS ? [] : [{ name, at: new Date(seconds * 1000).toISOString() }]
    })
    return { origin, size, total: witnesses.length, cosigned }
  } catch {
    return undefined
  }
}
