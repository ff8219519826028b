import { availableParallelism } from 'node:os'

import { UsageError } from '../command.ts'

const MAX_JOBS = 256

/** The number of threads that `--jobs` asks for, else one for each core. Throws a UsageError. */
export function readJobs(text: string | undefined): number {
  if (text === undefined) return availableParallelism()
  const jobs = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (jobs >= 1 && jobs <= MAX_JOBS) return jobs
  throw new UsageError(`--jobs: expected a whole number from 1 to ${MAX_JOBS}, found "${text}"`)
}
