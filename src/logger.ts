import { fstatSync } from 'node:fs'
import { styleText } from 'node:util'
import { escapeHidden } from '@public-api/contract/text/hidden-characters'
import { pino } from 'pino'
import type { Config } from './config.ts'
import type { Log } from './service/logger.ts'

const STYLES: { readonly [level: string]: 'red' | 'yellow' | 'cyan' | 'dim' } = {
  fatal: 'red',
  error: 'red',
  warn: 'yellow',
  info: 'cyan',
}

type LogOptions = Pick<Config, 'logLevel'> & Partial<Pick<Config, 'logFormat' | 'journalStream'>>

/** Priorities of syslog, for `journalctl --priority`. */
const PRIORITIES: { readonly [level: string]: number } = { fatal: 2, error: 3, warn: 4, info: 6 }

/** Whether standard output leads to the journal of systemd (systemd.exec(5), JOURNAL_STREAM), which takes `<N>` off a line. */
function isJournal(stream: string | undefined): boolean {
  if (stream === undefined) return false
  const { dev, ino } = fstatSync(1)
  return stream === `${dev}:${ino}`
}

/** A line with the priority of its level before it. */
function withPriority(json: string): string {
  const [, level = ''] = /^\{"level":"(\w+)"/.exec(json) ?? []
  return `<${PRIORITIES[level] ?? 7}>${json}`
}

/** A line of the log for people: time, level, message and fields, with the stack of an error below. */
function formatLine(json: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(json) as {
    readonly level: string
    readonly time: string
    readonly msg: string
    readonly err?: { readonly stack?: string; readonly message?: string }
  }
  const { stack = err?.message ?? '' } = err ?? {}
  const values = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const first = [msg, ...values].join('  ').replaceAll('\n', String.raw`\n`)
  const lines = [first, ...(stack === '' ? [] : stack.split('\n'))].map(escapeHidden)
  // Without colors where NO_COLOR is set or the output is not a terminal.
  const styled = styleText(STYLES[level] ?? 'dim', level.padEnd(5), { stream: process.stdout })
  return `${time.slice('2026-11-21T'.length)} ${styled} ${lines.join('\n    ')}\n`
}

/**
 * The log of the process on standard output: readable lines on a terminal, elsewhere one JSON object per line. Every line of
 * a worker contains its number.
 */
export function openLog({ logLevel, logFormat, journalStream }: LogOptions, worker?: number): Log {
  const output = pino.destination({ fd: 1, sync: true })
  const isText = (logFormat ?? (process.stdout.isTTY ? 'text' : 'json')) === 'text'
  const options = {
    level: logLevel,
    // Omits the host name and the process id.
    base: worker === undefined ? null : { worker },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  if (isText) return pino(options, { write: (line) => output.write(formatLine(line)) })
  if (!isJournal(journalStream)) return pino(options, output)
  return pino(options, { write: (line) => output.write(withPriority(line)) })
}
