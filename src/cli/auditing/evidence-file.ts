import type { HistoryEvidence } from '../../client/history-evidence.ts'
import { formatInstant } from '../../contract/instant.ts'
import { CommandFailure } from '../command-failure.ts'
import { createNewFile } from '../new-file.ts'

/** Names that are tried when each before it is taken. */
const MAX_NAMES = 1000

function nameOf(file: string, index: number): string {
  if (index === 1) return file
  const dot = file.lastIndexOf('.')
  const hasEnding = dot > file.lastIndexOf('/') + 1
  return hasEnding ? `${file.slice(0, dot)}-${index}${file.slice(dot)}` : `${file}-${index}`
}

/**
 * Writes evidence to a new file, and gives its name; an existing file is left alone, and `-2`, `-3` and so on tried.
 * Undefined where no file can be written: then the evidence has to go somewhere else, since there is no second copy.
 */
export async function keepEvidence(
  file: string | undefined,
  evidence: HistoryEvidence,
  nowMs: number,
): Promise<string | undefined> {
  const moment = formatInstant(nowMs).replaceAll(/[-:]|\.\d+/g, '')
  const wanted = file ?? `svc-evidence-${evidence.fault}-${moment}.json`
  for (let index = 1; index <= MAX_NAMES; index += 1) {
    const name = nameOf(wanted, index)
    try {
      const created = await createNewFile(name)
      try {
        await created.write(`${JSON.stringify(evidence)}\n`)
        await created.finish()
        return name
      } catch (error) {
        await created.abandon()
        throw error
      }
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error
      if (error.code !== 'EXISTS') return undefined
    }
  }
  return undefined
}
