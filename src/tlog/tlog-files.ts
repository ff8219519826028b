import path from 'node:path'
import { MAX_POLICY_BYTES } from '@public-api/client-internal/log/log-policy'
import { MAX_NOTE_BYTES } from '@public-api/client-internal/log/signed-note'
import {
  makeFolder,
  removePartialFiles,
  replaceFile,
} from '@public-api/client-internal/node/durable-file'
import { requireOwnPath } from '@public-api/client-internal/node/own-path'
import { readBelow } from '../files/folder-files.ts'
import { carriageReturnFault } from '../files/git-files.ts'
import { readTlog, TlogError, writeTlog } from './tlog-error.ts'

/** The published files of the transparency log, as plain data. */
export interface TlogFiles {
  /** Identity of the log. */
  readonly origin: string
  /** The served checkpoint, signed and cosigned; undefined before the first one satisfies the policy. */
  readonly checkpoint: string | undefined
  /** The operator's policy, suggested to clients. */
  readonly policy: string
}

/** Files of the log in a releases folder, with their size limits. The lock is an empty file. */
export const TLOG_FILE_BYTES = {
  origin: 1024,
  policy: MAX_POLICY_BYTES,
  checkpoint: MAX_NOTE_BYTES,
  pending: MAX_NOTE_BYTES,
  'witnesses.json': 131_072,
  lock: 0,
} as const

/** A file of the log in a releases folder. */
export type TlogFileName = keyof typeof TLOG_FILE_BYTES

/** The folder of the log in a releases folder. It exists only after `svc tlog init`. */
export function tlogFolder(releasesDir: string): string {
  return path.join(releasesDir, 'log')
}

/** Every file in the folder of the log. */
export const TLOG_FILE_NAMES: readonly string[] = Object.keys(TLOG_FILE_BYTES)

/** How private keys begin: PEM with its kinds, age, and the key of a log. A comment of a policy is served too. */
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY|AGE-(?:SECRET-KEY|PLUGIN)-|PRIVATE\+KEY\+/i

function privateKeyFault(text: string): string | undefined {
  const index = text.split('\n').findIndex((line) => PRIVATE_KEY.test(line))
  return index === -1
    ? undefined
    : `found a private key in line ${index + 1}, which would be published; remove it and replace the key`
}

/** Text of a file of the log; undefined if it does not exist. Throws a TlogError. */
export function readTlogFile(releasesDir: string, name: TlogFileName): string | undefined {
  const file = path.join(tlogFolder(releasesDir), name)
  return readTlog(file, () => {
    const bytes = readBelow(releasesDir, `log/${name}`, TLOG_FILE_BYTES[name])
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const fault = carriageReturnFault(text) ?? privateKeyFault(text)
    if (fault !== undefined) throw new Error(fault)
    return text
  })
}

/** Replaces a file of the log; durable when it returns. Throws a TlogError. */
export function writeTlogFile(releasesDir: string, name: TlogFileName, text: string): void {
  const file = path.join(tlogFolder(releasesDir), name)
  writeTlog(file, () => {
    requireOwnPath(releasesDir, `log/${name}`)
    makeFolder(tlogFolder(releasesDir), 0o755)
    removePartialFiles(tlogFolder(releasesDir))
    replaceFile(file, text, { mode: 0o644 })
  })
}

/**
 * Host and path, without a scheme. The dot in the host tells it from a secret in hexadecimal digits or base64. The texts
 * that the service signs elsewhere start with `svc-`.
 */
const ORIGIN =
  /^(?=.{1,200}$)(?!svc-)(?:localhost|(?:[\w-]+\.)+[\w-]+)(?::\d{1,5})?(?:\/[^\s+/\p{Cc}]+)*$/u

/** Whether a text can be the identity of a log. */
export const isTlogOrigin = (text: string): boolean => ORIGIN.test(text)

/** The identity of the log in a releases folder; undefined without a log. Throws a TlogError. */
export function readTlogOrigin(releasesDir: string): string | undefined {
  const text = readTlogFile(releasesDir, 'origin')
  if (text === undefined) return undefined
  const origin = text.replace(/\n$/, '')
  if (isTlogOrigin(origin)) return origin
  const expected = 'line 1: expected host and path, such as api.example.org/log, and nothing else'
  throw new TlogError('LOG_FILE', `${path.join(tlogFolder(releasesDir), 'origin')}, ${expected}`)
}

/** The published files of the log; undefined without a log. Throws a TlogError. */
export function readTlogFiles(releasesDir: string): TlogFiles | undefined {
  const origin = readTlogOrigin(releasesDir)
  if (origin === undefined) return undefined
  const policy = readTlogFile(releasesDir, 'policy')
  if (policy === undefined) {
    throw new TlogError('LOG_FILE', `${path.join(tlogFolder(releasesDir), 'policy')} is missing`)
  }
  return { origin, policy, checkpoint: readTlogFile(releasesDir, 'checkpoint') }
}
