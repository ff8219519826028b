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
import { readTlog, TlogError, writeTlog } from '../tlog-error.ts'

const MAX_KEY_BYTES = 16_384

/** Where the publisher keeps what signs the log. The serving process reads none of it. */
export interface LogSecrets {
  /** The folder of the key, with the state and the retiring key beside it. */
  readonly secretsDir: string
  /** The file of the current key from `SVC_TLOG_KEY_FILE`, which publishers may share. Default: one in the folder. */
  readonly keyFile?: string | undefined
  /** PEM of the current key from `SVC_TLOG_KEY`; undefined: the file. */
  readonly keyText?: string | undefined
}

/** A key that signs checkpoints. */
export interface LogKey {
  readonly vkey: string
  readonly keyId: string
  /** The signature line over the text of a checkpoint. */
  sign(text: string): string
}

/** The files of a secrets folder that belong to the log. */
export function logSecretFiles({ secretsDir, keyFile }: LogSecrets) {
  return {
    key: keyFile ?? path.join(secretsDir, 'log-key.pem'),
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
    const isPath = place === 'SVC_TLOG_KEY' && /^[^\n]*\/[^\n]*$/.test(pem) && !pem.includes('--')
    const advice = isPath ? '; SVC_TLOG_KEY_FILE names a file' : ''
    throw new TlogError('LOG_KEY', `${place}: ${messageOf(error)}${advice}`)
  }
}

/** The rights of others that a key may have: publishers share the one that SVC_TLOG_KEY_FILE names with their group. */
const forbiddenBits = ({ keyFile }: LogSecrets): number => (keyFile === undefined ? 0o077 : 0o037)

function readKeyFile(file: string, secrets: LogSecrets): KeyObject | undefined {
  const pem = readTlog(file, () => readRegularFile(file, MAX_KEY_BYTES).toString('utf8'), 'LOG_KEY')
  if (pem === undefined) return undefined
  const { mode } = statSync(file)
  const forbidden = forbiddenBits(secrets)
  // Anyone who has the key can sign a second history. Windows has no such mode.
  if (process.platform !== 'win32' && (mode & forbidden) !== 0) {
    const found = `other users can access ${file} (mode ${(mode & 0o777).toString(8)})`
    const expected =
      forbidden === 0o077
        ? 'mode 600, so run chmod go= on it'
        : 'mode 640, so run chmod g-wx,o= on it'
    throw new TlogError('LOG_KEY', `${found}; expected ${expected}`)
  }
  return parseKey(file, pem)
}

/** The keys that sign the log: the current one, then the retiring one. Throws a TlogError (LOG_KEY). */
export async function readLogKeys(
  origin: string,
  secrets: LogSecrets,
): Promise<{ readonly current: LogKey | undefined; readonly retiring: LogKey | undefined }> {
  const { keyText } = secrets
  const files = logSecretFiles(secrets)
  const current =
    keyText === undefined ? readKeyFile(files.key, secrets) : parseKey('SVC_TLOG_KEY', keyText)
  const retiring = readKeyFile(files.retiring, secrets)
  return {
    current: current && (await createLogKey(origin, current)),
    retiring: retiring && (await createLogKey(origin, retiring)),
  }
}

/** Creates the folder of the secrets, if it is missing. Throws a TlogError. */
export function makeSecretsFolder(secretsDir: string): void {
  writeTlog(secretsDir, () => makeFolder(secretsDir, 0o700))
}

/** Whether the group of the folder shares the key: SVC_TLOG_KEY_FILE names it, and the group may write beside it (setgid). */
export function isSharedKey({ secretsDir, keyFile }: LogSecrets): boolean {
  return keyFile !== undefined && (statSync(secretsDir).mode & 0o2020) === 0o2020
}

/** Creates the key of a log, which only its owner and publishers who share it can read. An existing file is not changed. Throws a TlogError. */
export function createLogKeyFile(secrets: LogSecrets): void {
  const { key: file } = logSecretFiles(secrets)
  writeTlog(file, () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    createFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), {
      mode: isSharedKey(secrets) ? 0o640 : 0o600,
      owner: statSync(path.dirname(file)),
    })
  })
}

/** Makes the current key the retiring one. Throws a TlogError. */
export function retireCurrentKeyFile(secrets: LogSecrets): void {
  const files = logSecretFiles(secrets)
  writeTlog(files.retiring, () => {
    renameSync(files.key, files.retiring)
    syncFolder(secrets.secretsDir)
  })
}

/** Deletes the retiring key. Throws a TlogError. */
export function deleteRetiringKeyFile(secrets: LogSecrets): void {
  const { retiring } = logSecretFiles(secrets)
  writeTlog(retiring, () => {
    rmSync(retiring, { force: true })
    syncFolder(secrets.secretsDir)
  })
}
