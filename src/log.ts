import { pino } from 'pino'
import type { Config } from './config.ts'
import type { Log } from './service/log.ts'

/** The log of the process: one JSON object per line on standard output. Every line of a worker contains its number. */
export function openLog(level: Config['logLevel'], worker?: number): Log {
  return pino({
    level,
    // Neither the host's name nor the process id: a line says what happened.
    base: worker === undefined ? null : { worker },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  })
}
