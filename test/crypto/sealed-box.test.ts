import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

import {
  Decrypter,
  Encrypter,
  generateHybridIdentity,
  generateX25519Identity,
  identityToRecipient,
  Stanza,
} from 'age-encryption'
import * as fc from 'fast-check'

import {
  createOpener,
  createSealer,
  generateIdentity,
  parseIdentities,
  readIdentity,
  recipientOf,
  SEAL_PROBLEMS,
  SealError,
  type SealProblem,
} from '../../src/crypto/sealed-box.ts'
import { createX25519Recipient } from '../../src/crypto/x25519-stanza.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const IDENTITY = await generateX25519Identity()
const RECIPIENT = await identityToRecipient(IDENTITY)
const OTHER_IDENTITY = await generateX25519Identity()

function isSealError(code: SealProblem): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof SealError, String(error))
    assert.equal(error.code, code)
    assert.equal(error.cause, undefined)
    assert.ok(error.message.endsWith(SEAL_PROBLEMS[code]))
    return true
  }
}

test('what is sealed opens again, whatever it is', async () => {
  const sealer = createSealer(RECIPIENT)
  const opener = await createOpener([IDENTITY])
  assert.equal(sealer.recipient, RECIPIENT)
  assert.deepEqual(opener.recipients, [RECIPIENT])
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (plain) => {
      const sealed = await sealer.seal(plain)
      assert.deepEqual(Buffer.from(await opener.open(sealed)), Buffer.from(plain))
    }),
    { numRuns: 50 },
  )
})

test("a seal is the library's own kind of file, for any identity, both ways", async () => {
  const plain = Buffer.from('what was said')
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 64 }), async (bytes) => {
      const identity = await generateX25519Identity()
      const recipient = await identityToRecipient(identity)
      const decrypter = new Decrypter()
      decrypter.addIdentity(identity)
      assert.deepEqual(
        Buffer.from(await decrypter.decrypt(await createSealer(recipient).seal(bytes))),
        Buffer.from(bytes),
      )
      const encrypter = new Encrypter()
      encrypter.addRecipient(recipient)
      const opener = await createOpener([identity])
      assert.deepEqual(
        Buffer.from(await opener.open(await encrypter.encrypt(plain))),
        Buffer.from(plain),
      )
    }),
    { numRuns: 25 },
  )
})

test('a seal is a binary age v1 file with one X25519 stanza, and no two are alike', async () => {
  const sealer = createSealer(RECIPIENT)
  const [one, two] = await Promise.all([
    sealer.seal(Buffer.alloc(256)),
    sealer.seal(Buffer.alloc(256)),
  ])
  assert.match(
    Buffer.from(one).toString('latin1'),
    /^age-encryption\.org\/v1\n-> X25519 [A-Za-z0-9+/]{43}\n[A-Za-z0-9+/]{43}\n--- [A-Za-z0-9+/]{43}\n/,
  )
  assert.equal(one.length, two.length)
  assert.notDeepEqual(Buffer.from(one), Buffer.from(two))
})

test('a file for several recipients opens with the identity of any of them', async () => {
  const encrypter = new Encrypter()
  encrypter.addRecipient(await identityToRecipient(OTHER_IDENTITY))
  encrypter.addRecipient(RECIPIENT)
  const opener = await createOpener([IDENTITY])
  const opened = await opener.open(await encrypter.encrypt('for both'))
  assert.equal(Buffer.from(opened).toString(), 'for both')
})

test('an opener with several identities opens for each of them', async () => {
  const opener = await createOpener([OTHER_IDENTITY, IDENTITY])
  assert.deepEqual(opener.recipients, [await identityToRecipient(OTHER_IDENTITY), RECIPIENT])
  for (const recipient of opener.recipients) {
    const sealed = await createSealer(recipient).seal(Buffer.from(recipient))
    assert.equal(Buffer.from(await opener.open(sealed)).toString(), recipient)
  }
})

test('what is sealed to another recipient does not open, and is not called damaged', async () => {
  const sealed = await createSealer(RECIPIENT).seal(Buffer.from('x'))
  const opener = await createOpener([OTHER_IDENTITY])
  await assert.rejects(opener.open(sealed), isSealError('NO_IDENTITY_FITS'))
})

test('a changed bit anywhere keeps a file from opening', async () => {
  const sealed = await createSealer(RECIPIENT).seal(Buffer.from('what was said'))
  const opener = await createOpener([IDENTITY])
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Uint8Array.from(sealed)
    changed[index] = (changed[index] ?? 0) ^ 1
    await assert.rejects(opener.open(changed), (error) => {
      assert.ok(error instanceof SealError, `byte ${index}: ${String(error)}`)
      return error.code === 'DAMAGED' || error.code === 'NO_IDENTITY_FITS'
    })
  }
})

test('what is cut off, longer, empty, or no age file is damaged', async () => {
  const sealed = await createSealer(RECIPIENT).seal(Buffer.from('what was said'))
  const opener = await createOpener([IDENTITY])
  const damaged = [
    new Uint8Array(),
    Buffer.from('not an age file\n'),
    sealed.subarray(0, 30),
    sealed.subarray(0, -1),
    sealed.subarray(0, -30),
    Buffer.concat([sealed, Buffer.from([0])]),
  ]
  for (const bytes of damaged) await assert.rejects(opener.open(bytes), isSealError('DAMAGED'))
})

/** A whole age file, its MAC right, with these stanzas for its file key. */
async function sealWith(
  stanzasOf: (stanza: Stanza, fileKey: Uint8Array) => readonly Stanza[],
): Promise<Uint8Array> {
  const encrypter = new Encrypter()
  encrypter.addRecipient({
    async wrapFileKey(fileKey) {
      const [stanza] = await createX25519Recipient(RECIPIENT).wrapFileKey(fileKey)
      assert.ok(stanza !== undefined)
      return [...stanzasOf(stanza, fileKey)]
    },
  })
  return encrypter.encrypt('what was said')
}

test('stanzas of other kinds are passed over', async () => {
  const opener = await createOpener([IDENTITY])
  const grease = new Stanza(['x-grease', 'more', 'words'], Buffer.alloc(7))
  const empty = new Stanza(['y'], new Uint8Array())
  const sealed = await sealWith((stanza) => [grease, empty, stanza])
  assert.equal(Buffer.from(await opener.open(sealed)).toString(), 'what was said')
  const unknown = await sealWith(() => [grease])
  await assert.rejects(opener.open(unknown), isSealError('NO_IDENTITY_FITS'))
})

test('a stanza that the format forbids opens nothing, though it holds the file key', async () => {
  const opener = await createOpener([IDENTITY])
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const forms: { readonly [what: string]: (share: string, body: Uint8Array) => Stanza } = {
    'an argument more': (share, body) => new Stanza(['X25519', share, 'more'], body),
    'an empty argument more': (share, body) => new Stanza(['X25519', share, ''], body),
    padding: (share, body) => new Stanza(['X25519', `${share}=`], body),
    // The last of 43 characters carries two bits that must be zero.
    'bits beyond the share': (share, body) => {
      const lax = last[last.indexOf(share.at(-1) ?? '') + 1] ?? ''
      return new Stanza(['X25519', share.slice(0, -1) + lax], body)
    },
    'a share that is too long': (share, body) => new Stanza(['X25519', `${share}AA`], body),
    'a byte more': (share, body) =>
      new Stanza(['X25519', share], Buffer.concat([body, Buffer.alloc(1)])),
    'a byte less': (share, body) => new Stanza(['X25519', share], body.subarray(1)),
    'no share': (_share, body) => new Stanza(['X25519'], body),
  }
  const good = await sealWith((stanza) => [stanza])
  assert.equal(Buffer.from(await opener.open(good)).toString(), 'what was said')
  for (const [what, form] of Object.entries(forms)) {
    const opening = sealWith(({ args, body }) => [form(args[1] ?? '', body)]).then((sealed) =>
      opener.open(sealed),
    )
    await assert.rejects(opening, isSealError('DAMAGED'), what)
  }
})

test('a stanza of another form than the format has is damaged', async () => {
  const text = Buffer.from(await createSealer(RECIPIENT).seal(Buffer.from('x'))).toString('latin1')
  const opener = await createOpener([IDENTITY])
  const share = /X25519 (\S+)/.exec(text)?.[1] ?? ''
  // The last character of 43 carries two bits that must be zero; with others Buffer reads the same bytes.
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const lax = last[last.indexOf(share.at(-1) ?? '') + 1] ?? ''
  const forms = [
    `X25519 ${share.slice(0, -1)}${lax}`,
    `X25519 ${share} more`,
    `X25519 ${share.slice(0, -4)}`,
    'X25519',
    // A share of low order, with which everybody would know the key.
    `X25519 ${'A'.repeat(43)}`,
  ]
  for (const form of forms) {
    const changed = Buffer.from(text.replace(`X25519 ${share}`, form), 'latin1')
    await assert.rejects(opener.open(changed), isSealError('DAMAGED'), form)
  }
})

test('what is no X25519 recipient is refused before anything is sealed to it', async () => {
  const hybrid = await identityToRecipient(await generateHybridIdentity())
  const last = RECIPIENT.at(-1) === 'q' ? 'p' : 'q'
  for (const text of [
    '',
    'age1',
    `${RECIPIENT.slice(0, -1)}${last}`,
    RECIPIENT.toUpperCase(),
    ` ${RECIPIENT}`,
    IDENTITY,
    hybrid,
  ]) {
    assert.throws(() => createSealer(text), isSealError('BAD_RECIPIENT'), text)
  }
  // Zero as a public key, with a right checksum: nobody can agree on a key with it.
  assert.throws(
    () => createSealer('age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z'),
    isSealError('BAD_RECIPIENT'),
  )
})

test('what is no X25519 identity is refused, without a word of it', async () => {
  const last = IDENTITY.at(-1) === 'Q' ? 'P' : 'Q'
  const wrong = `${IDENTITY.slice(0, -1)}${last}`
  for (const text of [
    '',
    wrong,
    RECIPIENT,
    IDENTITY.toLowerCase(),
    await generateHybridIdentity(),
  ]) {
    await assert.rejects(createOpener([IDENTITY, text]), isSealError('BAD_IDENTITY'))
    await assert.rejects(recipientOf(text), isSealError('BAD_IDENTITY'))
  }
  await assert.rejects(createOpener([]), isSealError('BAD_IDENTITY'))
  assert.equal(await recipientOf(IDENTITY), RECIPIENT)
})

test('identity files hold comments, empty lines and several identities', () => {
  const text = `# created: 2026-01-31T00:00:00Z\r\n# public key: ${RECIPIENT}\r\n${IDENTITY}\r\n\r\n  # another\n  ${OTHER_IDENTITY}  `
  assert.deepEqual(parseIdentities(text), [IDENTITY, OTHER_IDENTITY])
})

test('a line of an identity file that is none is named by its number alone', () => {
  assert.throws(
    () => parseIdentities(`# one\n${IDENTITY}\n${IDENTITY}x\n`),
    (error) => {
      assert.ok(error instanceof SealError)
      assert.equal(error.message, `line 3: ${SEAL_PROBLEMS.BAD_IDENTITY}`)
      return true
    },
  )
  for (const text of ['', '\n', '# nothing\n']) {
    assert.throws(() => parseIdentities(text), isSealError('BAD_IDENTITY'))
  }
})

test('a text that is to hold one identity gives it with its recipient, and no other text does', async () => {
  const pair = { identity: IDENTITY, recipient: RECIPIENT }
  assert.deepEqual(await readIdentity(`# created: today\r\n\r\n${IDENTITY}\r\n`), pair)
  for (const text of [
    '',
    '# a note alone\n',
    `${IDENTITY}\n${OTHER_IDENTITY}\n`,
    `${IDENTITY}\n${IDENTITY}\n`,
    `${IDENTITY} ${OTHER_IDENTITY}`,
    IDENTITY.slice(0, -1) + (IDENTITY.endsWith('Q') ? 'P' : 'Q'),
  ]) {
    await assert.rejects(readIdentity(text), (error) => {
      assert.ok(error instanceof SealError && error.code === 'BAD_IDENTITY')
      assert.ok(!error.message.includes(IDENTITY.slice(20, 40)))
      return true
    })
  }
})

test('an identity that is made is another each time, and its recipient is its own', async () => {
  const [first, second] = [await generateIdentity(), await generateIdentity()]
  assert.notEqual(first.identity, second.identity)
  assert.equal(first.recipient, await identityToRecipient(first.identity))
  assert.deepEqual(await readIdentity(first.identity), first)
})

test('the age program opens a seal, and its files open here', async (t) => {
  if (spawnSync('age', ['--version']).status !== 0) {
    t.skip('the age program is not on this machine')
    return
  }
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'identity.txt')
  writeFileSync(file, `${IDENTITY}\n`)
  const sealed = await createSealer(RECIPIENT).seal(Buffer.from('what was said'))
  const opened = spawnSync('age', ['--decrypt', '--identity', file], { input: sealed })
  assert.equal(opened.stdout.toString(), 'what was said')
  const theirs = spawnSync('age', ['--recipient', RECIPIENT], { input: 'what they said' }).stdout
  const opener = await createOpener([IDENTITY])
  assert.equal(Buffer.from(await opener.open(theirs)).toString(), 'what they said')
})
