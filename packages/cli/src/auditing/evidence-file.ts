import { open, rm, type FileHandle } from 'node:fs/promises'
import { propertyOf } from '@public-api/contract/json/property-of'
import { formatInstant } from '@public-api/contract/text/instant'

/** Number of names that are tried. */
const MAX_NAMES = 1000

function nameOf(file: string, index: number): string {
  if (index === 1) return file
  const dot = file.lastIndexOf('.')
  const hasEnding = dot > file.lastIndexOf('/') + 1
  return hasEnding ? `${file.slice(0, dot)}-${index}${file.slice(dot)}` : `${file}-${index}`
}

/** Signed statements that contradict each other, and how. */
export interface AuditFinding {
  readonly code: string
  readonly evidence: object
}

/**
 * Writes evidence to a new file and returns its name. An existing file is kept, and the names `-2`, `-3` and so on are
 * tried. Returns undefined if no file can be written. The caller must then print the evidence, which exists nowhere
 * else.
 */
export async function writeEvidence(
  file: string | undefined,
  { code, evidence }: AuditFinding,
  nowMs: number,
): Promise<string | undefined> {
  const moment = formatInstant(nowMs).replaceAll(/[-:]|\.\d+/g, '')
  const wanted = file ?? `svc-evidence-${code}-${moment}.json`
  for (let index = 1; index <= MAX_NAMES; index += 1) {
    const name = nameOf(wanted, index)
    let handle: FileHandle
    try {
      handle = await open(name, 'wx', 0o600)
    } catch (error) {
      if (propertyOf(error, 'code') === 'EEXIST') continue
      return undefined
    }
    try {
      await handle.writeFile(`${JSON.stringify(evidence)}\n`)
      await handle.sync()
      return name
    } catch {
      // A truncated file would look like complete evidence.
      await rm(name, { force: true })
      return undefined
    } finally {
      await handle.close()
    }
  }
  return undefined
}
