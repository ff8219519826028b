import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import {
  ED25519,
  formatSignatureLine,
  formatVkey,
  keyIdOf,
} from '@public-api/client-internal/log/signed-note'
import { createFile, makeFolder, syncFolder } from '@public-api/client-internal/node/durable-file'
import { messageOf } from '@public-api/contract/errors/error-message'
import { parsePrivateSigningKey } from '../../crypto/signing-keys.ts'
import { readRegularFile } from '../../files/read-regular-file.ts'
import { TlogError } from '../tlog-error.ts'

const MAX_KEY_BYTES = 16_384

/** Where the publisher keeps what signs the log. The serving process reads none of it. */
export interface LogSecrets {
  readonly secretsDir: string
  /** PEM of the current key from `SVC_TLOG_KEY`; undefined: the file. */
  readonly keyText: string | undefined
}

/** A key that signs checkpoints. */
export interface LogKey {
  readonly vkey: string
  readonly keyId: string
  /** The signature line over the text of a checkpoint. */
  sign(text: string): string
}

/** The files of a secrets folder that belong to the log. */
export function logSecretFiles(secretsDir: string) {
  return {
    key: path.join(secretsDir, 'log-key.pem'),
    retiring: path.join(secretsDir, 'log-key-retiring.pem'),
    state: path.join(secretsDir, 'log-state.json'),
    lock: path.join(secretsDir, 'log-state.lock'),
  }
}

async function createLogKey(origin: string, key: KeyObject): Promise<LogKey> {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  const publicKey = Buffer.from(x, 'base64url')
  const keyId = await keyIdOf(origin, ED25519, publicKey)
  return {
    vkey: await formatVkey(origin, ED25519, publicKey),
    keyId,
    sign: (text) => formatSignatureLine(origin, keyId, sign(null, Buffer.from(text), key)),
  }
}

function parseKey(place: string, pem: string): KeyObject {
  try {
    return parsePrivateSigningKey(pem)
  } catch (error) {
    throw new TlogError('LOG_KEY', `${place}: ${messageOf(error)}`)
  }
}

function readKeyFile(file: string): KeyObject | undefined {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  // Anyone who has the key can sign a second history. Windows has no such mode.
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    const found = `other users can access ${file} (mode ${(stats.mode & 0o777).toString(8)})`
    throw new TlogError('LOG_KEY', `${found}; expected mode 600, so run chmod go= on it`)
  }
  let pem: string
  try {
    pem = readRegularFile(file, MAX_KEY_BYTES).toString('utf8')
  } catch (error) {
    throw new TlogError('LOG_KEY', `${file} cannot be read: ${messageOf(error)}`, error)
  }
  return parseKey(file, pem)
}

/** The keys that sign the log: the current one, then the retiring one. Throws a TlogError (LOG_KEY). */
export async function readLogKeys(
  origin: string,
  { secretsDir, keyText }: LogSecrets,
): Promise<{ readonly current: LogKey | undefined; readonly retiring: LogKey | undefined }> {
  const files = logSecretFiles(secretsDir)
  const current = keyText === undefined ? readKeyFile(files.key) : parseKey('SVC_TLOG_KEY', keyText)
  const retiring = readKeyFile(files.retiring)
  return {
    current: current && (await createLogKey(origin, current)),
    retiring: retiring && (await createLogKey(origin, retiring)),
  }
}

function change(file: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw new TlogError('LOG_FILE', `${file} cannot be written: ${messageOf(error)}`, error)
  }
}

/** Creates the folder of the secrets, if it is missing. Throws a TlogError. */
export function makeSecretsFolder(secretsDir: string): void {
  change(secretsDir, () => makeFolder(secretsDir, 0o700))
}

/** Creates the key of a log, which only the owner can read. An existing file is not changed. Throws a TlogError. */
export function createLogKeyFile(file: string): void {
  change(file, () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    createFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), {
      mode: 0o600,
      owner: statSync(path.dirname(file)),
    })
  })
}

/** Makes the current key the retiring one. Throws a TlogError. */
export function retireCurrentKeyFile(secretsDir: string): void {
  const files = logSecretFiles(secretsDir)
  change(files.retiring, () => {
    renameSync(files.key, files.retiring)
    syncFolder(secretsDir)
  })
}

/** Deletes the retiring key. Throws a TlogError. */
export function deleteRetiringKeyFile(secretsDir: string): void {
  const { retiring } = logSecretFiles(secretsDir)
  change(retiring, () => {
    rmSync(retiring, { force: true })
    syncFolder(secretsDir)
  })
}
