import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileContent } from '../../../src/publishing/compile/compile-content.ts'
import { findLeaks } from '../../../src/publishing/leaks/leak-guard.ts'
import { LEAK_RULES } from '../../../src/publishing/leaks/leak-rules.ts'
import { formatMistake } from '../../../src/publishing/rules/content-mistake.ts'
import { parseYamlSource } from '../../../src/publishing/rules/yaml-source.ts'
import { cpuMs } from '../../support/cpu-time.ts'
import { editContent, FIXTURE_NOW_MS, makeContent, writeContent } from '../content-fixture.ts'

// Secrets are put together from pieces here, so that scanners of this repository do not take them for real ones.
const join = (...pieces: readonly string[]): string => pieces.join('')
const RANDOM_43 = join('Zk3vQ9xT2mB7', 'nL5rW8yH1cJ4', 'dF6gS0pA_uEi', 'oK2tXqV')

/** What the guard says of one text value, as rule ids. */
async function rulesFor(value: string): Promise<readonly string[]> {
  const text = `summary: ${JSON.stringify(value)}\n`
  const { value: source } = parseYamlSource('f.yaml', text)
  assert.ok(source !== undefined)
  const { leaks } = await findLeaks([{ file: 'f.yaml', text, values: source.texts }])
  for (const leak of leaks) {
    assert.equal(leak.line, 1)
    assert.ok(!formatMistake(leak).includes(value.slice(0, 24)) || value.length < 24)
  }
  return leaks.map((leak) => leak.rule ?? '')
}

const PHRASE =
  'abandon ability able about above absent absorb abstract absurd abuse access accident'

const HEX_KEY = join('4c0883a69102937d', '6231471b5dbb6204', 'fe5129617082792a', 'e468d01a3f362318')

const NUMERALS = 'I II III IV V VI VII VIII IX X XI XII'.split(' ')
const SHA1 = HEX_KEY.slice(0, 40)
const OTHER_SHA1 = HEX_KEY.slice(20, 60)

const POSITIVES: readonly (readonly [rule: string, text: string])[] = [
  ['api-key', join('svk', '_0123456789abcdef_', RANDOM_43)],
  ['age-secret-key', join('AGE-SECRET', '-KEY-1', 'QYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGP')],
  ['age-secret-key', join('age-secret', '-key-1', 'qyqszqgpqyqszqgpqyqszqgpqyqszqgp')],
  ['private-key', join('-----BEGIN', ' PRIVATE KEY-----')],
  ['private-key', join('-----BEGIN', ' OPENSSH PRIVATE KEY-----')],
  ['private-key', join('-----BEGIN', ' PGP PRIVATE KEY BLOCK-----')],
  ['json-web-token', join('eyJhbGciOiJI', 'UzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.', 'c2lnbmF0dXJl')],
  ['url-credentials', join('postgres://svc:', 'hunter2@db.example.org/svc')],
  ['recovery-phrase', PHRASE],
  ['recovery-phrase', PHRASE.toUpperCase()],
  ['recovery-phrase', PHRASE.split(' ').join(', ')],
  [
    'recovery-phrase',
    PHRASE.split(' ')
      .map((word, index) => `${index + 1}. ${word}`)
      .join(' '),
  ],
  ['recovery-phrase', PHRASE.split(' ').join('\n')],
  ['non-public-address', 'The database is at 10.1.2.3.'],
  ['non-public-address', '172.16.0.1'],
  ['non-public-address', '172.31.255.255'],
  ['non-public-address', 'http://192.168.1.10:8080/'],
  ['non-public-address', '127.0.0.1'],
  ['non-public-address', '169.254.169.254'],
  ['non-public-address', '100.64.0.1'],
  ['non-public-address', 'listens on [::1]:8080'],
  ['non-public-address', 'fe80::1ff:fe23:4567:890a'],
  ['non-public-address', 'fd12:3456:789a::1'],
  ['non-public-address', '::ffff:10.0.0.1'],
  ['email-address', 'Write to someone@example.org.'],
  ['email-address', 'ชื่อ@ตัวอย่าง.ไทย'],
  ['internal-host', 'db-1.prod.internal'],
  ['internal-host', 'Printer.LOCAL'],
  ['internal-host', 'https://wiki.corp/page'],
  ['internal-host', 'nas.lan.'],
  ['internal-host', 'router.home.arpa'],
  ['home-path', '/home/alice/keys'],
  ['home-path', 'in /Users/alice'],
  ['home-path', '/root/.ssh/id'],
  ['home-path', 'C:\\Users\\alice'],
  ['random-text', RANDOM_43],
  ['random-text', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  [
    'random-text',
    join('0x4c0883a69102937d', '6231471b5dbb6204', 'fe5129617082792a', 'e468d01a3f362318'),
  ],
  // Hexadecimal in groups, of the length of a key.
  ['random-text', (HEX_KEY.match(/../g) ?? []).join(':')],
  ['random-text', (HEX_KEY.match(/../g) ?? []).join(' ')],
  ['random-text', (HEX_KEY.match(/.{4}/g) ?? []).join(' ').toUpperCase()],
  ['random-text', (HEX_KEY.match(/.{8}/g) ?? []).join('-')],
  ['random-text', (HEX_KEY.slice(0, 32).match(/../g) ?? []).join(':')],
  ['random-text', `digest of nothing. Then ${HEX_KEY}`],
  ['random-text', `sha256:${HEX_KEY}0`],
  // Base32, as authenticator programs show it.
  ['base32-secret', join('JBSWY3DP', 'EHPK3PXP')],
  ['base32-secret', join('jbsw y3dp', ' ehpk 3pxp')],
  ['base32-secret', join('JBSW-Y3DP', '-EHPK-3PXP')],
  ['base32-secret', join('GEZDGNBVGY3TQOJQ', 'GEZDGNBVGY3TQOJQ====')],
  // Recovery phrases whose words are separated by whatever is at hand.
  ['recovery-phrase', PHRASE.replaceAll(' ', '/')],
  ['recovery-phrase', PHRASE.replaceAll(' ', '.')],
  ['recovery-phrase', PHRASE.replaceAll(' ', ' · ')],
  ['recovery-phrase', PHRASE.replaceAll(' ', '_')],
  ['recovery-phrase', PHRASE.replaceAll(' ', ' => ')],
  ['recovery-phrase', PHRASE.replaceAll(/(?:^| )(\w)/g, (_, first: string) => first.toUpperCase())],
  ['recovery-phrase', PHRASE.replace('absurd', 'absird')],
  ['recovery-phrase', `The words are ${PHRASE}, in this order.`],
  // Credentials with their names.
  ['assigned-credential', 'Log in with password=hunter2'],
  ['assigned-credential', 'https://example.org/?access_token=a1b2c3d4'],
  ['assigned-credential', 'client_secret = "s3cr3t-value"'],
  ['assigned-credential', 'token: 7f3a9c21be'],
  ['assigned-credential', join('Authorization: Bearer ', '2YotnFZFEjr1zCsicMWpAA')],
  // Our own keys, cut by punctuation.
  ['api-key', join('svk_', '0123 4567 89ab cdef', '_', RANDOM_43)],
  ['api-key', join('svk-', '0123456789abcdef', ' . ', RANDOM_43.match(/.{1,6}/g)?.join('-') ?? '')],
  ['age-secret-key', join('AGE SECRET', ' KEY 1', 'QYQS ZQGP QYQS ZQGP QYQS ZQGP')],
  ['private-key', join('-----begin', ' private key-----')],
  ['private-key', join('-----Begin', ' Rsa Private Key-----')],
  // Addresses in other notations.
  ['non-public-address', 'http://2130706433/'],
  ['non-public-address', 'http://167772161:8080/admin'],
  ['non-public-address', 'It listens on 3232235777:8443.'],
  ['non-public-address', '0x7f000001'],
  ['non-public-address', '0x7f.0x0.0x0.0x1'],
  ['non-public-address', '0300.0250.0001.0001'],
  ['non-public-address', 'https://0xC0A80101/'],
  ['non-public-address', 'http://127.1/'],
  ['non-public-address', '&#49;&#48;&#46;&#48;&#46;&#48;&#46;&#49;'],
  ['non-public-address', '&#x31;&#x30;.0.0.1'],
  ['non-public-address', '192&period;168&period;0&period;1'],
  // Other spellings of the characters.
  ['non-public-address', '１０．０．０．１'],
  ['email-address', 'someone＠example.org'],
  ['email-address', 'someone%40example.org'],
  ['email-address', 'some\u00adone@exam\u200bple.org'],
  ['assigned-credential', '𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝＝hunter2'],
  ['internal-host', 'db&#46;prod&#46;internal'],
  // Addresses that are written against programs that collect them.
  ['non-public-address', '10\u30021\u30022\u30023'],
  ['non-public-address', '\uff11\uff10\uff61\uff11\uff61\uff12\uff61\uff13'],
  ['non-public-address', String.raw`172\.16\.4\.9`],
  ['non-public-address', String.raw`172\u002e16\u002e4\u002e9`],
  ['non-public-address', 'gateway 10 . 1 . 2 . 3'],
  ['non-public-address', 'gateway 192. 168. 7. 1'],
  ['non-public-address', '10 DOT 1 DOT 2 DOT 3'],
  ['email-address', 'jane AT tides DOT example'],
  ['email-address', 'jane<at>tides<dot>example'],
  ['email-address', 'jane AT tides.example'],
  ['email-address', 'jane@mail . tides . example'],
  ['email-address', 'jane[at]tides\u3002example'],
  ['email-address', 'jane @ tides . example'],
  ['email-address', 'jane @ tides.example'],
  ['email-address', 'Ask jane @ mail . tides . example first.'],
  ['email-address', 'jane-at-tides-dot-example'],
  ['email-address', 'jane_at_mail_dot_tides_dot_com'],
  ['email-address', 'Write to jane at tides dot com.'],
  ['email-address', 'jane dot doe at mail dot tides dot co dot uk'],
  ['email-address', 'Jane At Tides Dot Org'],
  ['email-address', 'jane AT tides dot org'],
  ['non-public-address', 'In this section, 10.1.2.3 is the gateway.'],
  ['non-public-address', 'The table lists 10.1.2.3.'],
  ['non-public-address', 'Released at 10.1.2.3'],
  ['random-text', `The key was fixed: ${SHA1}`],
  ['random-text', `Fixed in ${HEX_KEY}.`],
  [
    'recovery-phrase',
    PHRASE.split(' ')
      .map((word, index) => `${NUMERALS[index]}. ${word}`)
      .join('\n'),
  ],
]

for (const [rule, text] of POSITIVES) {
  test(`${rule} finds ${JSON.stringify(text.slice(0, 12))}…`, async () => {
    const rules = await rulesFor(text)
    assert.ok(rules.includes(rule), `found ${rules.join(', ') || 'nothing'}`)
  })
}

const NEGATIVES: readonly string[] = [
  'Version 1.2.3.4.5 is not an address, and neither is 999.1.1.1.',
  'Public servers such as 192.0.2.1, 172.32.0.1, 11.0.0.1 and 2001:db8::1 may be named.',
  'At 12:30:45 the time is ::.',
  'Keys look like svk_<keyId>_<secret>.',
  'The scope @example/client and the mention @reader are not addresses.',
  'A local copy, an internal review, the .local domain and example.local.example.org.',
  'See https://example.org/home/page and the path /roots or ~/notes.',
  'https://example.org/a:b@c',
  'GET /api/v1/versions/{snapshotId} and /api/v1/wallet/architecture-and-the-security-of-it-all',
  'waitlist-registration-and-human-verification-2026-11-21-part-02',
  '550e8400-e29b-41d4-a716-446655440000',
  'State endpoints, errors, limits, headers and shapes once. Routing, the policy and the API description are derived.',
  'Readers check every published response with common programs that anyone has',
  'snapshots history policy signatures', // A few words do not form a phrase.
  'W/"short-tag" and sha-256=:abc=:',
  'A passwort is not shown: https://example.org/',
  // What a text marks as a digest.
  `sha256:${HEX_KEY}`,
  `sha-256=${HEX_KEY}`,
  `SHA-256 of the file: ${HEX_KEY}`,
  `The SHA-256 digest of report.pdf is ${HEX_KEY}`.replace(' is ', ': '),
  `Fingerprint: ${(HEX_KEY.match(/../g) ?? []).join(':').toUpperCase()}`,
  join('sha256-', 'RIAxqkALhqOqzBVRtfNWE+mFbzFA8BYjxJdlYrH9FJo='),
  join('checksum (SHA-512): ', HEX_KEY, HEX_KEY),
  // Versions, dates and ordinary URLs.
  'Versions 10.0.1, v10.0.0.1 and version 10.0.0.1 are out; so are 1.2.3-rc.4+build.5 and 131.0.6778.86.',
  'On 2026-11-22T09:30:00.000Z, and from 20261122 to 20261231.',
  'https://example.org/blog/2026/11/how-we-migrated-3-databases-in-2-days-without-downtime',
  join('https://github.com/example/project/commit/', HEX_KEY.slice(0, 40)),
  'Sections 10.1.2.3, 10.1.2.4 and 10.1.2.5, § 10.1.2.3, §10.0.0.7, clause 10.4.1.2 and Fig. 10.1.1.2 say so.',
  // Commits and entity tags by the text beside them.
  SHA1,
  `Fixed in ${SHA1}.`,
  `Introduced by ${SHA1}, reverted in ${OTHER_SHA1}; since ${SHA1} it holds. git show ${SHA1}`,
  `Fixed in (${SHA1}) and [${OTHER_SHA1}].`,
  `The range ${SHA1}..${OTHER_SHA1} has it.`,
  `https://git.example/tides/record/compare/${SHA1}...${OTHER_SHA1}`,
  `https://git.example/tides/record/compare/v1.2.0...${SHA1}`,
  `The ETag of the status is W/"${RANDOM_43}" now.`,
  // Numbers, lists and words in capitals.
  'It served 3232235786 bytes, or 3,232,235,786, and 2886729729 requests.',
  'Steps 10. 11. 12. 13. follow. ARRIVE AT PORT. LOOK AT IT. Press the DOT key.',
  'Meet the team AT EXAMPLE, at noon. 完成。下一步。',
  'It is called origin@main. Then it runs. See jane@tides, and others . and more.',
  // Words of addresses in sentences.
  'Lunch @ noon. Then 3 requests @ 10.5 ms, two nodes @ 2.4 GHz, build @ v1.2.3 and job @ main.',
  'Ask @tides.example there, or use @unittest.skip and @Gtk.Template.',
  'She worked at a dot com in 1999. Look at each dot as a point, and at the dot in it.',
  'Visit us at tides dot example, which is hosted at example dot com. We looked at ASP dot net.',
  'sale-at-polka-dot-cafe and looking-at-the-dot-com-bubble are slugs. Aim at one dot, or at red dot is.',
  'https://example.org/search?q=rate+limits&page=2#results-2026',
  'The largest integer is 2147483647, a count was 184549375, and 4294967295 is the end.',
  'Mail and chat, 100% of it; AT&T and R&D; a&b=c.',
  // Words about secrets.
  'A secret is a key: it opens the waitlist. Token: a keyed hash. password = <password>',
  'Send access_token=YOUR_TOKEN or Authorization: Bearer <API_KEY>.',
  'CONFIGURATION27 and INTERNATIONALIZATION are words, and so is kubernetes2docker.',
  'From this time they will have some more data each week from then until next year.',
  'The age of a secret key does not matter.',
  'This record id public record name Public record kind program state live role state.',
  'svk_0123456789abcdef is the ID of a key; the rest of it is secret and never shown to anyone',
]

for (const text of NEGATIVES) {
  test(`nothing in ${JSON.stringify(text.slice(0, 40))}…`, async () => {
    assert.deepEqual(await rulesFor(text), [])
  })
}

test('the recommended rules of secretlint run too', async () => {
  const token = join('gh', 'p_', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx')
  assert.ok((await rulesFor(token)).includes('secretlint/github'))
})

test('a report names file, line, field and rule, and never the secret', async (t) => {
  const folder = makeContent(t)
  const secret = join('svk', '_0123456789abcdef_', RANDOM_43)
  editContent(folder, 'status', 'summary: Answers.', `summary: The key is ${secret}`)
  const { mistakes, resources } = await compileContent(folder, FIXTURE_NOW_MS)
  assert.equal(resources.size, 0)
  const leak = mistakes.find((mistake) => mistake.rule === 'api-key')
  assert.ok(leak !== undefined)
  assert.ok(leak.file.endsWith('status.yaml'))
  assert.equal(leak.line, 7)
  assert.equal(leak.column, 25)
  assert.match(
    formatMistake(leak),
    /status\.yaml:7:25: found an API key of this service, expected no credential; revoke this key \(rule api-key\)$/,
  )
  assert.ok(!JSON.stringify(mistakes).includes(RANDOM_43.slice(0, 8)))
  // In the text and in the value, but reported once.
  assert.equal(mistakes.filter((mistake) => mistake.rule === 'api-key').length, 1)
})

test('another mistake on the line of a secret does not quote the secret', async (t) => {
  const folder = makeContent(t)
  const secret = join('svk', '_0123456789abcdef_', RANDOM_43)
  editContent(folder, 'status', 'state: operational\nsummary', `state: ${secret}\nsummary`)
  const { mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  assert.ok(
    mistakes.some(
      (mistake) => mistake.field === 'state' && mistake.found === 'a value that is not shown',
    ),
  )
  assert.ok(!JSON.stringify(mistakes).includes(RANDOM_43.slice(0, 8)))
})

test('a secret in YAML that cannot be parsed is not quoted', async (t) => {
  const folder = makeContent(t)
  const secret = join('svk', '_0123456789abcdef_', RANDOM_43)
  writeContent(folder, 'status.yaml', `state: [${secret}\n  ${secret}: - ${secret}\n@${secret}\n`)
  const { mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  assert.ok(mistakes.length > 1)
  assert.ok(!JSON.stringify(mistakes).includes(RANDOM_43.slice(0, 8)))
})

test('searches comments', async (t) => {
  const folder = makeContent(t)
  editContent(folder, 'roadmap', 'summary: What', '# asked someone@example.org\nsummary: What')
  const { mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  assert.deepEqual(
    mistakes.map(({ line, column, rule }) => ({ line, column, rule })),
    [{ line: 1, column: 9, rule: 'email-address' }],
  )
})

test('finds text hidden in YAML escapes and folded lines', async (t) => {
  const folder = makeContent(t)
  const escaped = Array.from('someone@example.org')
    .map((character) => `\\x${character.charCodeAt(0).toString(16)}`)
    .join('')
  editContent(folder, 'roadmap', 'title: Writing', `title: "${escaped}"`)
  editContent(
    folder,
    'status',
    'summary: Answers.',
    `summary: >-\n      ${PHRASE.split(' ').slice(0, 6).join(' ')}\n      ${PHRASE.split(' ').slice(6).join(' ')}`,
  )
  const { mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  assert.deepEqual(
    mistakes.map(({ line, field, rule }) => ({ line, field, rule })),
    [
      { line: 9, field: 'items[1].title', rule: 'email-address' },
      { line: 8, field: '', rule: 'recovery-phrase' },
    ],
  )
})

test('the operator may allow an exact text for one rule, with a reason', async (t) => {
  const folder = makeContent(t)
  editContent(folder, 'roadmap', 'title: Writing', 'title: Ask reports@example.org')
  const allow = (entry: string): void => {
    writeContent(folder, 'publishing.yaml', `allowedTexts:\n  - ${entry}\n`)
  }
  const mistakes = async (): Promise<readonly string[]> =>
    (await compileContent(folder, FIXTURE_NOW_MS)).mistakes.map((each) =>
      formatMistake(each).slice(folder.length + 1),
    )

  allow('{ text: reports@example.org, rule: email-address, reason: The published contact }')
  assert.deepEqual(await mistakes(), [])

  allow('{ text: eports@example.org, rule: email-address, reason: Not the whole text }')
  assert.deepEqual(await mistakes(), [
    'publishing.yaml:2:5: allowedTexts[0]: found a text allowed for email-address that is no longer in the content, expected no unused entry',
    'roadmap.yaml:9:16: found an email address, expected no address, or one that content/publishing.yaml allows (rule email-address)',
  ])

  allow('{ text: reports@example.org, rule: api-key, reason: The wrong rule }')
  assert.match(
    (await mistakes())[0] ?? '',
    /found an allowed text for api-key, a rule that allows no exceptions, expected one of the rules assigned-credential, base32-secret/,
  )

  allow('{ text: reports@example.org, rule: email, reason: No such rule }')
  assert.match((await mistakes())[0] ?? '', /found an allowed text for the unknown rule "email"/)

  allow('{ text: reports@example.org, rule: email-address }')
  assert.match(
    (await mistakes())[0] ?? '',
    /allowedTexts\[0\]\.reason: found nothing, expected text/,
  )
})

test('never allows what can only be a secret', async (t) => {
  const folder = makeContent(t)
  const secret = join('-----BEGIN', ' PRIVATE KEY-----')
  editContent(folder, 'roadmap', 'title: Writing', `title: ${JSON.stringify(secret)}`)
  writeContent(
    folder,
    'publishing.yaml',
    `allowedTexts:\n  - { text: ${JSON.stringify(secret)}, rule: private-key, reason: No }\n`,
  )
  const { mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  assert.ok(mistakes.some((mistake) => mistake.rule === 'private-key'))
})

test('rules have unique ids and run in time linear in the text', () => {
  assert.equal(new Set(LEAK_RULES.map((rule) => rule.id)).size, LEAK_RULES.length)
  for (const filler of [
    'a',
    'a.',
    '1.',
    ':',
    'word ',
    'a@',
    '@a.',
    'aA1',
    '/home',
    '-----BEGIN ',
    'eyJ',
    'a://b:',
  ]) {
    const text = filler.repeat(Math.ceil(200_000 / filler.length))
    for (const rule of LEAK_RULES) {
      const started = cpuMs()
      Array.from(rule.find(text))
      const elapsedMs = cpuMs() - started
      assert.ok(elapsedMs < 3000, `${rule.id} took ${elapsedMs} ms for ${JSON.stringify(filler)}`)
    }
  }
})

test('names, quotes and expectations never repeat a secret', async (t) => {
  const key = join('svk', '_0123456789abcdef_', RANDOM_43)
  for (const secret of [key, RANDOM_43, HEX_KEY]) {
    for (const line of [`${secret}: one`, `a: { ${secret}: { b: one } }`, `"x ${secret}": [1]`]) {
      const folder = makeContent(t)
      writeContent(folder, 'th/status.yaml', `${line}\n`)
      editContent(
        folder,
        'status',
        'state: operational\nsummary',
        `${line}\nstate: operational\nsummary`,
      )
      const { mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
      assert.ok(mistakes.length > 0, line)
      assert.ok(!JSON.stringify(mistakes).includes(secret.slice(4, 20)), JSON.stringify(mistakes))
    }
  }
})

test('refuses an exception whose reason is blank', async (t) => {
  for (const reason of ['"  "', '"\\t"', '"\\u200b"', '"\\u2800"']) {
    const folder = makeContent(t)
    editContent(folder, 'roadmap', 'title: Writing', 'title: Ask reports@tides.example')
    writeContent(
      folder,
      'publishing.yaml',
      `allowedTexts: [{ text: reports@tides.example, rule: email-address, reason: ${reason} }]\n`,
    )
    const { mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
    assert.equal(mistakes[0]?.field, 'allowedTexts[0].reason', reason)
  }
})

const COMMIT = join('9af3c0d1e2b34a5f', '60718293a4b5c6d7', 'e8f90a1b')
const ETAG = join('47DEQpj8HBSa', '-_TImW-5JCeu', 'QeRkm5NMpJWZG3hSuFU')

for (const text of [
  `Fixed in commit ${COMMIT}.`,
  `Commits ${COMMIT} and ${COMMIT.replace('9a', '8b')}.`,
  `See https://git.example/tides/record/commit/${COMMIT}.`,
  `See https://git.example/tides/record/-/commit/${COMMIT}#note.`,
  `See https://git.example/record.git/commit/?id=${COMMIT}`,
  `The response had ETag: W/"${ETAG}".`,
  `Sent If-None-Match: W/"${ETAG}".`,
]) {
  test(`a digest with its context passes: ${text.replace(/[\w-]{40,}/, '…')}`, async () => {
    assert.deepEqual(await rulesFor(text), [])
  })
}

for (const [text, rule] of [
  [`Use ${COMMIT}.`, 'random-text'],
  [`Fixed in commit ${ETAG}.`, 'random-text'],
  [`See https://git.example/a/commit/${COMMIT}?x=${RANDOM_43}`, 'random-text'],
  [`See https://git.example/a/commit/${COMMIT}/${HEX_KEY}`, 'random-text'],
  ['It ran on 10[.]1[.]2[.]3 first.', 'non-public-address'],
  ['It ran on 10 (dot) 1 (dot) 2 (dot) 3 first.', 'non-public-address'],
  ['Write to me(at)corp.example.', 'email-address'],
  ['Write to me [at] corp [dot] example.', 'email-address'],
  ['It ran on db[.]corp[.]internal.', 'internal-host'],
] as const) {
  test(`finds it without a context or in brackets: ${text.replaceAll(/[\w-]{40,}/g, '…')}`, async () => {
    assert.deepEqual([...new Set(await rulesFor(text))], [rule])
  })
}
