import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { CommandFailure } from '@public-api/cli-kit/command'
import { setRecipient } from '../../../src/cli/waitlist/recipient-setting.ts'
import { configureSecrets } from '../../support/configured-secrets.ts'
import { listFolder } from '../../support/deployment.ts'

const FILE = 'waitlist-recipient.txt'
const OLD = 'age1yndu64g529zcj9txr67ysn6szmgktymx2wyutv3qzkqmvqsg9ppsn4pra5'
const NEW = 'age1tyek7p0zwuy9sd4w86jrtvp0mqt2uhcncp2zlp8yunhm9pg2yvxs3kgtme'

test('writes the recipient with mode 0600; writing it again is a no-op', async (t) => {
  const config = configureSecrets(t)
  const place = path.join(config.secretsDir, FILE)
  assert.deepEqual(await setRecipient(config, NEW), { kind: 'written', place })
  assert.equal(readFileSync(place, 'utf8'), `${NEW}\n`)
  assert.equal(statSync(place).mode & 0o777, 0o600)
  assert.deepEqual(await setRecipient(config, NEW), { kind: 'unchanged', place })
  assert.deepEqual(listFolder(config.secretsDir), [FILE])
})

test('ignores leftovers of a killed process with the same id', async (t) => {
  const left = `${FILE}.${process.pid}.partial`
  const config = configureSecrets(t, { [FILE]: `${OLD}\n`, [left]: 'age1' })
  const place = path.join(config.secretsDir, FILE)
  assert.deepEqual(await setRecipient(config, NEW), { kind: 'written', place })
  assert.equal(readFileSync(place, 'utf8'), `${NEW}\n`)
  assert.deepEqual(listFolder(config.secretsDir), [FILE, left])
})

test('keeps the mode and the symbolic link of a replaced file', async (t) => {
  const config = configureSecrets(t)
  const elsewhere = path.join(path.dirname(config.secretsDir), 'elsewhere')
  mkdirSync(elsewhere)
  mkdirSync(config.secretsDir)
  const real = path.join(elsewhere, 'recipient')
  writeFileSync(real, `${OLD}\n`)
  chmodSync(real, 0o640)
  symlinkSync(real, path.join(config.secretsDir, FILE))
  await setRecipient(config, NEW)
  assert.equal(readFileSync(real, 'utf8'), `${NEW}\n`)
  assert.equal(statSync(real).mode & 0o777, 0o640)
  assert.deepEqual(listFolder(elsewhere), ['recipient'])
  assert.deepEqual(listFolder(config.secretsDir), [FILE])
})

test('with an unwritable folder, says what to write by hand', async (t) => {
  const config = configureSecrets(t)
  writeFileSync(config.secretsDir, 'no folder')
  await assert.rejects(setRecipient(config, NEW), (error) => {
    assert.ok(error instanceof CommandFailure)
    assert.equal(error.code, 'UNWRITABLE')
    assert.ok(error.message.includes(`Write ${NEW} there by hand`))
    return true
  })
})
