import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { CommandFailure } from '@public-api/cli-kit/command'
import {
  createFile,
  makeFolder,
  rewriteFile,
  syncFolder,
} from '@public-api/client-internal/node/durable-file'
import { messageOf } from '@public-api/contract/errors/error-message'
import { type Config, NEXT_SIGNING_KEY_FILE, SECRET_VARIABLES } from '../config.ts'
import {
  parsePrivateSigningKey,
  derivePublicSigningKey,
  type PublicSigningKey,
} from '../crypto/signing-keys.ts'
import type { PublishedSigningKey } from '../service/signing-keys/signing-key-document.ts'
import {
  formatKeyMetadata,
  parseKeyMetadata,
} from '../service/signing-keys/signing-key-metadata.ts'
import { changeFile } from './new-file.ts'

/** Undefined if the file does not exist. Throws a CommandFailure that names the file. */
function readKeyFile<Value>(file: string, parse: (text: string) => Value): Value | undefined {
  if (!existsSync(file)) return undefined
  try {
    return parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandFailure('SIGNING_KEYS', `${file}: ${messageOf(error)}`)
  }
}

/**
 * The signing keys of a secrets folder: `keys` are the published ones, with the current one even if `signing-keys.json` does
 * not list it; `current` and `next` are the public halves of the private keys that are present. Changes nothing. Throws a
 * CommandFailure for keys in variables and for unreadable files.
 */
export function readKeyFiles(config: Config) {
  for (const name of ['signingKey', 'signingKeys'] as const) {
    if (config.secretVariables[name] === undefined) continue
    throw new CommandFailure(
      'KEY_IN_VARIABLE',
      `${SECRET_VARIABLES[name].variable} is set; this command manages keys in files only. Unset it, or change the keys where the variable is set`,
    )
  }
  const paths = {
    metadata: path.join(config.secretsDir, SECRET_VARIABLES.signingKeys.file),
    current: path.join(config.secretsDir, SECRET_VARIABLES.signingKey.file),
    next: path.join(config.secretsDir, NEXT_SIGNING_KEY_FILE),
  }
  const parsePublic = (text: string): PublicSigningKey =>
    derivePublicSigningKey(parsePrivateSigningKey(text))
  const metadata = readKeyFile(paths.metadata, parseKeyMetadata) ?? []
  const current = readKeyFile(paths.current, parsePublic)
  const isListed = current === undefined || metadata.some(({ keyId }) => keyId === current.keyId)
  const keys: readonly PublishedSigningKey[] = isListed
    ? metadata
    : [{ ...current, status: 'current', notBefore: null, notAfter: null }, ...metadata]
  return { keys, current, next: readKeyFile(paths.next, parsePublic), paths }
}

export type KeyFiles = ReturnType<typeof readKeyFiles>

/** Creates a private key that only the owner can read. Throws a CommandFailure; an existing file is not changed. */
export function createPrivateKey(file: string): PublicSigningKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  changeFile(file, () => {
    makeFolder(path.dirname(file), 0o700)
    createFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), {
      mode: 0o600,
      owner: statSync(path.dirname(file)),
    })
  })
  return derivePublicSigningKey(privateKey)
}

/** Publishes these keys from the next reload on. Keeps the file's mode, owner and link. Throws a CommandFailure. */
export function writeKeyMetadata(file: string, keys: readonly PublishedSigningKey[]): void {
  changeFile(file, () => rewriteFile(file, formatKeyMetadata(keys), 0o644))
}

/** Replaces the current private key by the next one. The old private key is lost. Throws a CommandFailure. */
export function replaceCurrentKey({ paths }: KeyFiles): void {
  changeFile(paths.current, () => {
    renameSync(paths.next, paths.current)
    syncFolder(path.dirname(paths.current))
  })
}

/** Deletes the next private key. Throws a CommandFailure. */
export function deleteNextKey({ paths }: KeyFiles): void {
  changeFile(paths.next, () => {
    rmSync(paths.next, { force: true })
    syncFolder(path.dirname(paths.next))
  })
}
