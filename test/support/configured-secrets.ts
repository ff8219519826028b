import assert from 'node:assert/strict'
import type { KeyObject } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { type Config, inspectConfig } from '../../src/config.ts'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import type { Environment } from '../../src/environment-reader.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A private key as its file holds it. */
export function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' })
}

/** A configuration whose secrets folder is one of the test's own, with the given files in it. */
export function configureSecrets(
  t: TestContext,
  files: { readonly [file: string]: string } = {},
  env: Environment = {},
): Config {
  const folder = temporaryFolder(t)
  const { config, mistakes } = inspectConfig(env, folder)
  assert.deepEqual(mistakes, [])
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(config.secretsDir, { recursive: true })
    writeFileSync(path.join(config.secretsDir, file), text)
  }
  return config
}

/** Notes on keys, as an operator writes them. */
export function noteKeys(
  ...keys: readonly (readonly [
    key: KeyObject,
    status: string,
    notBefore?: unknown,
    notAfter?: unknown,
  ])[]
): string {
  return JSON.stringify({
    keys: keys.map(([key, status, notBefore = null, notAfter = null]) => ({
      publicKeyPem: derivePublicSigningKey(key).publicKeyPem,
      status,
      notBefore,
      notAfter,
    })),
  })
}
