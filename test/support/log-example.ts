import { readFileSync } from 'node:fs'

/** The files of an example of a log. */
export const EXAMPLE = new URL('../vectors/log/example/', import.meta.url)
/** When the witness of the example cosigned. */
export const COSIGNED_MS = 1_795_413_001_000

export const example = (name: string): string => readFileSync(new URL(name, EXAMPLE), 'utf8')
