import { readFileSync } from 'node:fs'
import { createFile } from '@public-api/client-internal/node/durable-file'
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
 * tried, unless `mayBeThere` and the file contains this evidence. Returns undefined if no file can be written. The caller must then print the evidence, which exists
 * nowhere else.
 */
export function writeEvidence(
  file: string | undefined,
  { code, evidence }: AuditFinding,
  nowMs: number,
  mayBeThere = false,
): string | undefined {
  const moment = formatInstant(nowMs).replaceAll(/[-:]|\.\d+/g, '')
  const wanted = file ?? `svc-evidence-${code}-${moment}.json`
  const content = `${JSON.stringify(evidence)}\n`
  for (let index = 1; index <= MAX_NAMES; index += 1) {
    const name = nameOf(wanted, index)
    try {
      createFile(name, content, { mode: 0o600 })
      return name
    } catch (error) {
      if (propertyOf(error, 'code') !== 'EEXIST') return undefined
      if (mayBeThere && isContentOf(name, content)) return name
    }
  }
  return undefined
}

function isContentOf(file: string, content: string): boolean {
  try {
    return readFileSync(file, 'utf8') === content
  } catch {
    return false
  }
}
