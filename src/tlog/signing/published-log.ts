import path from 'node:path'
import { formatCheckpoint, parseSignedCheckpoint } from '@public-api/client-internal/log/checkpoint'
import type { HashTree } from '@public-api/client-internal/log/hash-tree'
import { LogError } from '@public-api/client-internal/log/log-error'
import { openPolicy, type LogPolicy } from '@public-api/client-internal/log/log-policy'
import { rootOf } from '@public-api/client-internal/log/merkle-tree'
import { withFileLock } from '@public-api/client-internal/node/file-lock'
import { messageOf } from '@public-api/contract/errors/error-message'
import { versionHashText, type VersionEntry } from '@public-api/contract/history/version-chain'
import { ignoreInGit } from '../../files/git-files.ts'
import { leafOf, treeOf } from '../log-entries.ts'
import { TlogError } from '../tlog-error.ts'
import {
  isTlogOrigin,
  readTlogFile,
  readTlogOrigin,
  tlogFolder,
  writeTlogFile,
} from '../tlog-files.ts'
import {
  createLogKeyFile,
  deleteRetiringKeyFile,
  isSharedKey,
  type LogKey,
  type LogSecrets,
  logSecretFiles,
  makeSecretsFolder,
  readLogKeys,
  retireCurrentKeyFile,
} from './log-keys.ts'
import { readLogState, requireExtension, writeLogState } from './log-state.ts'

/** Signing and replacing files take milliseconds. */
const LOCK_WAIT_MS = 30_000

async function withLock<Result>(
  file: string,
  work: () => Promise<Result>,
  isInRepository = false,
): Promise<Result> {
  let isHeld = false
  try {
    if (isInRepository) ignoreInGit(file)
    return await withFileLock(file, LOCK_WAIT_MS, () => {
      isHeld = true
      return work()
    })
  } catch (error) {
    if (isHeld) throw error
    throw new TlogError('LOG_FILE', `${file} cannot be locked: ${messageOf(error)}`, error)
  }
}

/** Runs work while no other process signs with the same secrets. Throws a TlogError. */
function withSecretsLock<Result>(
  secrets: LogSecrets,
  work: () => Promise<Result>,
): Promise<Result> {
  return withLock(logSecretFiles(secrets).lock, work)
}

/** Runs work while no other process replaces files of the log. Throws a TlogError. */
export function withLogFilesLock<Result>(
  releasesDir: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return withLock(path.join(tlogFolder(releasesDir), 'lock'), work, true)
}

/** The origin of the log in a releases folder. Throws a TlogError (NO_LOG). */
export function requireOrigin(releasesDir: string): string {
  const origin = readTlogOrigin(releasesDir)
  if (origin !== undefined) return origin
  throw new TlogError('NO_LOG', `${releasesDir} has no log; create one with svc tlog init`)
}

/** The operator's policy. Throws a TlogError that names the line. */
export async function readPolicy(releasesDir: string): Promise<LogPolicy> {
  const text = readTlogFile(releasesDir, 'policy')
  if (text === undefined) throw new TlogError('LOG_FILE', `${releasesDir}/log/policy is missing`)
  try {
    return await openPolicy(text)
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    throw new TlogError('INVALID', `${releasesDir}/log/policy: ${error.message}`, error)
  }
}

/** The leaves of the versions that a publication read: it makes a tree before it appends one, and two with it. */
const leaves = new WeakMap<VersionEntry, Buffer>()

/** The tree over versions, oldest first. */
export function treeOfVersions(versions: readonly VersionEntry[]): Promise<HashTree> {
  return treeOf(versions.length, (index) => {
    const version = versions[index] as VersionEntry
    const leaf = leaves.get(version) ?? leafOf(versionHashText(version))
    leaves.set(version, leaf)
    return leaf
  })
}

function checkOrigin(origin: string): void {
  if (isTlogOrigin(origin)) return
  const expected = 'expected host and path without a scheme, such as api.example.org/log'
  throw new TlogError('INVALID', `--origin ${JSON.stringify(origin.slice(0, 60))}: ${expected}`)
}

/** What signing needs. */
export interface LogPublication {
  readonly releasesDir: string
  readonly secrets: LogSecrets
}

/** The keys of a log. Throws a TlogError (LOG_KEY) without a current one. */
async function requireKeys(origin: string, secrets: LogSecrets): Promise<readonly LogKey[]> {
  const { current, retiring } = await readLogKeys(origin, secrets)
  if (current === undefined) {
    const { key } = logSecretFiles(secrets)
    throw new TlogError('LOG_KEY', `${key} is missing; the log cannot be extended without its key`)
  }
  return retiring === undefined ? [current] : [current, retiring]
}

/**
 * Refuses versions that contradict what the log signed (BEHIND). Called before a version is written. Throws a TlogError,
 * also if this process could not sign one.
 */
export async function checkLog(
  { releasesDir, secrets }: LogPublication,
  versions: readonly VersionEntry[],
): Promise<void> {
  await requireExtension(await treeOfVersions(versions), requireState(secrets))
  await requireKeys(requireOrigin(releasesDir), secrets)
  await readPolicy(releasesDir)
}

function requireState(secrets: LogSecrets) {
  const { state: file } = logSecretFiles(secrets)
  const state = readLogState(file)
  if (state !== undefined) return state
  const advice = 'restore it; it states the largest tree that the log signed'
  throw new TlogError('LOG_FILE', `${file} is missing; ${advice}`)
}

/**
 * Signs the tree of all versions and stores it as pending. The state is durable before a signature exists, so that a
 * crash at any point leaves a state that a later tree must extend. One process at a time does so, with the versions of
 * that moment. Throws a TlogError; then nothing was signed.
 */
export async function signLog(
  { releasesDir, secrets }: LogPublication,
  readVersions: () => readonly VersionEntry[],
): Promise<void> {
  const origin = requireOrigin(releasesDir)
  // Before the lock, which a user without the key cannot take either: the error names the key.
  await requireKeys(origin, secrets)
  await withSecretsLock(secrets, async () => {
    const keys = await requireKeys(origin, secrets)
    const tree = await treeOfVersions(readVersions())
    const state = requireState(secrets)
    await requireExtension(tree, state)
    const { size } = tree
    const root = await rootOf(tree, size)
    const text = formatCheckpoint({ origin, size, root })
    await withLogFilesLock(releasesDir, async () => {
      const signed = ['pending', 'checkpoint'] as const
      for (const name of signed) {
        const note = readTlogFile(releasesDir, name)
        if (note !== undefined && isSignedByAll(note, text, keys)) return
      }
      if (size > state.size) {
        writeLogState(logSecretFiles(secrets).state, { size, root }, isSharedKey(secrets))
      }
      writeTlogFile(
        releasesDir,
        'pending',
        `${text}\n${keys.map((key) => key.sign(text)).join('')}`,
      )
    })
  })
}

/** Whether a note has this text and a line of each key. Signatures of its own keys are not checked again. */
function isSignedByAll(note: string, text: string, keys: readonly LogKey[]): boolean {
  try {
    const parsed = parseSignedCheckpoint(note)
    const lines = new Set(parsed.signatures.map(({ name, keyId }) => `${name} ${keyId}`))
    return parsed.text === text && keys.every(({ keyId }) => lines.has(`${parsed.origin} ${keyId}`))
  } catch (error) {
    if (error instanceof LogError) return false
    throw new TlogError('LOG_FILE', messageOf(error), error)
  }
}

/** The policy of an operator without witnesses. */
function firstPolicy(vkey: string, url: string): string {
  return `# Who signs the log, and who watches it: c2sp.org/tlog-policy. See docs/witnesses.md.\nlog ${vkey} ${url}\nquorum none\n`
}

/** A log to create. */
interface NewLog extends LogPublication {
  readonly origin: string
  /** Its address for the policy. */
  readonly url: string
}

/**
 * Creates the log of a releases folder: key, state, policy and the signed tree of all versions. The origin is written
 * last, so that an interrupted run can be repeated. Returns the verifier key. Throws a TlogError.
 */
export function createLog(
  { releasesDir, secrets, origin, url }: NewLog,
  versions: readonly VersionEntry[],
): Promise<{ readonly vkey: string; readonly size: number }> {
  checkOrigin(origin)
  makeSecretsFolder(secrets.secretsDir)
  return withSecretsLock(secrets, async () => {
    const known = readTlogOrigin(releasesDir)
    if (known !== undefined) {
      throw new TlogError('LOG_EXISTS', `${releasesDir} has the log ${known} already`)
    }
    const files = logSecretFiles(secrets)
    if ((await readLogKeys(origin, secrets)).current === undefined) createLogKeyFile(secrets)
    const { current } = await readLogKeys(origin, secrets)
    if (current === undefined) throw new TlogError('LOG_KEY', `${files.key} cannot be read`)
    const tree = await treeOfVersions(versions)
    const { size } = tree
    const root = await rootOf(tree, size)
    const state = readLogState(files.state)
    if (state !== undefined) await requireExtension(tree, state)
    writeLogState(files.state, { size, root }, isSharedKey(secrets))
    writeTlogFile(releasesDir, 'policy', firstPolicy(current.vkey, url))
    const text = formatCheckpoint({ origin, size, root })
    writeTlogFile(releasesDir, 'checkpoint', `${text}\n${current.sign(text)}`)
    writeTlogFile(releasesDir, 'origin', `${origin}\n`)
    return { vkey: current.vkey, size }
  })
}

/** The lines of a policy that name this key as a log. */
function logLineOf(vkey: string): RegExp {
  const escaped = vkey.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(String.raw`^[ \t]*log[ \t]+${escaped}(?<url>[ \t].*)?$`, 'm')
}

/**
 * Adds a key: from now on both sign, and the policy names both, the new one first. Returns both verifier keys and
 * the new line. Throws a TlogError.
 */
export function addLogKey({ releasesDir, secrets }: LogPublication) {
  return withSecretsLock(secrets, async () => {
    const origin = requireOrigin(releasesDir)
    if (secrets.keyText !== undefined) {
      throw new TlogError('LOG_KEY', 'SVC_TLOG_KEY is set; this command manages keys in files only')
    }
    // A mistake in it would end this command after the key exists.
    await readPolicy(releasesDir)
    const before = await readLogKeys(origin, secrets)
    if (before.retiring !== undefined && before.current !== undefined) {
      const { keyId } = before.retiring
      throw new TlogError(
        'LOG_KEY',
        `the key ${keyId} is retiring; retire it before you add another`,
      )
    }
    const old = before.retiring ?? before.current
    const text = readTlogFile(releasesDir, 'policy') ?? ''
    const line = old === undefined ? null : logLineOf(old.vkey).exec(text)
    if (old === undefined || line === null) {
      throw new TlogError(
        'LOG_KEY',
        `log/policy has no line of the current key; expected log ${old?.vkey}`,
      )
    }
    // An interrupted run left the old key as the retiring one.
    if (before.retiring === undefined) retireCurrentKeyFile(secrets)
    createLogKeyFile(secrets)
    const { current } = await readLogKeys(origin, secrets)
    if (current === undefined) throw new TlogError('LOG_KEY', 'the new key cannot be read')
    const added = `log ${current.vkey}${line.groups?.['url'] ?? ''}`
    writeTlogFile(
      releasesDir,
      'policy',
      text.replace(line[0], (known) => `${added}\n${known}`),
    )
    return { current: current.vkey, retiring: old.vkey, line: added }
  })
}

/** Removes the retiring key: from now on only the current one signs. Returns its verifier key. Throws a TlogError. */
export function retireLogKey({ releasesDir, secrets }: LogPublication, keyId: string) {
  return withSecretsLock(secrets, async () => {
    const origin = requireOrigin(releasesDir)
    const { current, retiring } = await readLogKeys(origin, secrets)
    if (retiring === undefined || retiring.keyId !== keyId) {
      const expected = retiring === undefined ? 'no key is retiring' : `expected ${retiring.keyId}`
      const advice = current?.keyId === keyId ? '; add a new key first' : ''
      throw new TlogError('LOG_KEY', `the key ${keyId} is not retiring: ${expected}${advice}`)
    }
    const text = readTlogFile(releasesDir, 'policy') ?? ''
    const line = logLineOf(retiring.vkey).exec(text)
    if (line !== null) {
      writeTlogFile(
        releasesDir,
        'policy',
        text.replace(`${line[0]}\n`, () => ''),
      )
    }
    deleteRetiringKeyFile(secrets)
    return { retired: retiring.vkey }
  })
}
