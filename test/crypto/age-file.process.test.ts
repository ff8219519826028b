import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { bech32 } from '@scure/base'
import {
  Encrypter,
  generateHybridIdentity,
  generateX25519Identity,
  identityToRecipient,
} from 'age-encryption'
import * as fc from 'fast-check'
import {
  createDecryptor,
  createEncryptor,
  generateIdentity,
  parseIdentities,
  parseIdentity,
  deriveRecipient,
  AGE_MISTAKES,
  AgeError,
  type AgeMistake,
} from '../../src/crypto/age-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const IDENTITY = await generateX25519Identity()
const RECIPIENT = await identityToRecipient(IDENTITY)
const OTHER_IDENTITY = await generateX25519Identity()

function isAgeError(code: AgeMistake): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof AgeError, String(error))
    assert.equal(error.code, code)
    assert.equal(error.cause, undefined)
    assert.ok(error.message.endsWith(AGE_MISTAKES[code]))
    return true
  }
}

test('decrypts what it encrypted', async () => {
  const encryptor = createEncryptor(RECIPIENT)
  const decryptor = await createDecryptor([IDENTITY])
  assert.equal(encryptor.recipient, RECIPIENT)
  assert.deepEqual(decryptor.recipients, [RECIPIENT])
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (plain) => {
      const sealed = await encryptor.encrypt(plain)
      assert.deepEqual(Buffer.from(await decryptor.decrypt(sealed)), Buffer.from(plain))
    }),
    { numRuns: 50 },
  )
})

test('writes a binary age v1 file with one X25519 stanza, different each time', async () => {
  const encryptor = createEncryptor(RECIPIENT)
  const [one, two] = await Promise.all([
    encryptor.encrypt(Buffer.alloc(256)),
    encryptor.encrypt(Buffer.alloc(256)),
  ])
  assert.match(
    Buffer.from(one).toString('latin1'),
    /^age-encryption\.org\/v1\n-> X25519 [A-Za-z0-9+/]{43}\n[A-Za-z0-9+/]{43}\n--- [A-Za-z0-9+/]{43}\n/,
  )
  assert.equal(one.length, two.length)
  assert.notDeepEqual(Buffer.from(one), Buffer.from(two))
})

test('decrypts a file for several recipients with the identity of any of them', async () => {
  const encrypter = new Encrypter()
  encrypter.addRecipient(await identityToRecipient(OTHER_IDENTITY))
  encrypter.addRecipient(RECIPIENT)
  const decryptor = await createDecryptor([IDENTITY])
  const opened = await decryptor.decrypt(await encrypter.encrypt('for both'))
  assert.equal(Buffer.from(opened).toString(), 'for both')
})

test('a decryptor with several identities decrypts for each of them', async () => {
  const decryptor = await createDecryptor([OTHER_IDENTITY, IDENTITY])
  assert.deepEqual(decryptor.recipients, [await identityToRecipient(OTHER_IDENTITY), RECIPIENT])
  for (const recipient of decryptor.recipients) {
    const sealed = await createEncryptor(recipient).encrypt(Buffer.from(recipient))
    assert.equal(Buffer.from(await decryptor.decrypt(sealed)).toString(), recipient)
  }
})

test('reports a file for another recipient as NO_MATCHING_IDENTITY, not as damaged', async () => {
  const sealed = await createEncryptor(RECIPIENT).encrypt(Buffer.from('x'))
  const decryptor = await createDecryptor([OTHER_IDENTITY])
  await assert.rejects(decryptor.decrypt(sealed), isAgeError('NO_MATCHING_IDENTITY'))
})

test('rejects a file with any bit changed', async () => {
  const sealed = await createEncryptor(RECIPIENT).encrypt(Buffer.from('what was said'))
  const decryptor = await createDecryptor([IDENTITY])
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Uint8Array.from(sealed)
    changed[index] = (changed[index] ?? 0) ^ 1
    await assert.rejects(decryptor.decrypt(changed), (error) => {
      assert.ok(error instanceof AgeError, `byte ${index}: ${String(error)}`)
      return error.code === 'DAMAGED' || error.code === 'NO_MATCHING_IDENTITY'
    })
  }
})

test('reports a truncated, extended, empty or foreign file as damaged', async () => {
  const sealed = await createEncryptor(RECIPIENT).encrypt(Buffer.from('what was said'))
  const decryptor = await createDecryptor([IDENTITY])
  const damaged = [
    new Uint8Array(),
    Buffer.from('not an age file\n'),
    sealed.subarray(0, 30),
    sealed.subarray(0, -1),
    sealed.subarray(0, -30),
    Buffer.concat([sealed, Buffer.from([0])]),
  ]
  for (const bytes of damaged) await assert.rejects(decryptor.decrypt(bytes), isAgeError('DAMAGED'))
})

/** A key with a valid checksum whose last letter has a bit that belongs to no byte. */
function withWrongPadding(prefix: string): string {
  const words = bech32.toWords(new Uint8Array(32))
  return bech32.encode(prefix, [...words.slice(0, -1), 1])
}

test('refuses an invalid recipient', async () => {
  const hybrid = await identityToRecipient(await generateHybridIdentity())
  const last = RECIPIENT.at(-1) === 'q' ? 'p' : 'q'
  for (const text of [
    '',
    'age1',
    `${RECIPIENT.slice(0, -1)}${last}`,
    RECIPIENT.toUpperCase(),
    ` ${RECIPIENT}`,
    IDENTITY,
    withWrongPadding('age'),
    hybrid,
  ]) {
    assert.throws(() => createEncryptor(text), isAgeError('BAD_RECIPIENT'), text)
  }
})

test('refuses an invalid identity without quoting it', async () => {
  const last = IDENTITY.at(-1) === 'Q' ? 'P' : 'Q'
  const wrong = `${IDENTITY.slice(0, -1)}${last}`
  for (const text of [
    '',
    wrong,
    RECIPIENT,
    IDENTITY.toLowerCase(),
    withWrongPadding('age-secret-key-').toUpperCase(),
    await generateHybridIdentity(),
  ]) {
    await assert.rejects(createDecryptor([IDENTITY, text]), isAgeError('BAD_IDENTITY'))
    assert.throws(() => deriveRecipient(text), isAgeError('BAD_IDENTITY'))
  }
  await assert.rejects(createDecryptor([]), isAgeError('BAD_IDENTITY'))
  assert.equal(deriveRecipient(IDENTITY), RECIPIENT)
})

test('parses an identity file with comments, empty lines and several identities', () => {
  const text = `# created: 2026-01-31T00:00:00Z\r\n# public key: ${RECIPIENT}\r\n${IDENTITY}\r\n\r\n  # another\n  ${OTHER_IDENTITY}  `
  assert.deepEqual(parseIdentities(text), [IDENTITY, OTHER_IDENTITY])
})

test('names an invalid line of an identity file by its number only', () => {
  assert.throws(
    () => parseIdentities(`# one\n${IDENTITY}\n${IDENTITY}x\n`),
    (error) => {
      assert.ok(error instanceof AgeError)
      assert.equal(error.message, `line 3: ${AGE_MISTAKES.BAD_IDENTITY}`)
      return true
    },
  )
  for (const text of ['', '\n', '# nothing\n']) {
    assert.throws(() => parseIdentities(text), isAgeError('BAD_IDENTITY'))
  }
})

test('parseIdentity accepts a text with exactly one identity', () => {
  const pair = { identity: IDENTITY, recipient: RECIPIENT }
  assert.deepEqual(parseIdentity(`# created: today\r\n\r\n${IDENTITY}\r\n`), pair)
  for (const text of [
    '',
    '# a note alone\n',
    `${IDENTITY}\n${OTHER_IDENTITY}\n`,
    `${IDENTITY}\n${IDENTITY}\n`,
    `${IDENTITY} ${OTHER_IDENTITY}`,
    IDENTITY.slice(0, -1) + (IDENTITY.endsWith('Q') ? 'P' : 'Q'),
  ]) {
    assert.throws(
      () => parseIdentity(text),
      (error) => {
        assert.ok(error instanceof AgeError && error.code === 'BAD_IDENTITY')
        assert.ok(!error.message.includes(IDENTITY.slice(20, 40)))
        return true
      },
    )
  }
})

test('generates a new identity each time, with its recipient', async () => {
  const [first, second] = [generateIdentity(), generateIdentity()]
  assert.notEqual(first.identity, second.identity)
  assert.equal(first.recipient, await identityToRecipient(first.identity))
  assert.deepEqual(parseIdentity(first.identity), first)
})

test('exchanges files with the age program', async (t) => {
  if (spawnSync('age', ['--version']).status !== 0) {
    t.skip('age is not installed')
    return
  }
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'identity.txt')
  writeFileSync(file, `${IDENTITY}\n`)
  const sealed = await createEncryptor(RECIPIENT).encrypt(Buffer.from('what was said'))
  const opened = spawnSync('age', ['--decrypt', '--identity', file], { input: sealed })
  assert.equal(opened.stdout.toString(), 'what was said')
  const theirs = spawnSync('age', ['--recipient', RECIPIENT], { input: 'what they said' }).stdout
  const decryptor = await createDecryptor([IDENTITY])
  assert.equal(Buffer.from(await decryptor.decrypt(theirs)).toString(), 'what they said')
})
