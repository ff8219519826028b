import { availableParallelism } from 'node:os'

import { parseWholeNumber } from '../option-values.ts'

/** The number of threads that `--jobs` asks for, else one for each core. Throws a UsageError. */
export function parseJobs(text: string | undefined): number {
  return text === undefined
    ? availableParallelism()
    : parseWholeNumber('--jobs', text, { least: 1, most: 256 })
}
