import { pino } from 'pino'
import type { Config } from './config.ts'
import type { Log } from './service/log.ts'

/** The log of the process: one JSON object per line on standard output. Every line of a worker contains its number. */
export function openLog(level: Config['logLevel'], worker?: number): Log {
  return pino({
    level,
    // Omits the host name and the process id.
    base: worker === undefined ? null : { worker },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  })
}
