import { pino } from 'pino'
import type { Config } from './config.ts'
import type { Log } from './service/log.ts'

/** The log of the process: one JSON object a line on standard output. */
export function openLog(level: Config['logLevel']): Log {
  return pino({
    level,
    // Neither the host's name nor the process id: a line says what happened, and workers name themselves.
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  })
}
