import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { encodeBase64 } from '@public-api/client-internal/base64'
import { cosignedText, formatCheckpoint } from '@public-api/client-internal/log/checkpoint'
import { createHashTree } from '@public-api/client-internal/log/hash-tree'
import { formatProof } from '@public-api/client-internal/log/log-proof'
import { hashLeaf, inclusionProof, rootOf } from '@public-api/client-internal/log/merkle-tree'
import {
  COSIGNATURE,
  ED25519,
  formatSignatureLine,
  formatVkey,
  keyIdOf,
} from '@public-api/client-internal/log/signed-note'
import { versionHashText, type VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { sha256Base64url } from '../../src/crypto/sha256.ts'
import { example } from '../support/log-example.ts'
import { madeEntry } from '../support/made-entry.ts'
import type { LogVector } from '../support/vector.ts'
import { MALFORMED_MEMBERS } from './history-vectors.ts'

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** A key of the vectors. Its seed is one byte, repeated: never trust it. */
interface VectorKey {
  readonly name: string
  readonly type: number
  readonly key: KeyObject
  readonly publicKey: Uint8Array
}

function makeKey(name: string, type: number, seed: number): VectorKey {
  const der = Buffer.concat([PKCS8_PREFIX, Buffer.alloc(32, seed)])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return { name, type, key, publicKey: Buffer.from(x, 'base64url') }
}

const LOG = makeKey('api.example.org/log', ED25519, 1)
const NEW_LOG = makeKey('api.example.org/log', ED25519, 2)
const OTHER_LOG = makeKey('other.example.org/log', ED25519, 3)
const WITNESSES = ['w1', 'w2', 'w3'].map((name, index) =>
  makeKey(`witness.example/${name}`, COSIGNATURE, 0x11 + index),
) as [VectorKey, VectorKey, VectorKey]
const [W1, W2, W3] = WITNESSES

const NOW_SECONDS = Date.UTC(2026, 10, 23, 12) / 1000
const DAY = 86_400

function vkeyOf({ name, type, publicKey }: VectorKey): Promise<string> {
  return formatVkey(name, type, publicKey)
}

async function signed(text: string, { name, type, key, publicKey }: VectorKey): Promise<string> {
  const keyId = await keyIdOf(name, type, publicKey)
  return formatSignatureLine(name, keyId, sign(null, Buffer.from(text), key))
}

async function cosigned(
  text: string,
  witness: VectorKey,
  atSeconds: number | bigint,
): Promise<string> {
  const signature = sign(null, Buffer.from(cosignedText(text, atSeconds as number)), witness.key)
  const timed = Buffer.alloc(8 + signature.length)
  timed.writeBigUInt64BE(BigInt(atSeconds))
  signature.copy(timed, 8)
  const keyId = await keyIdOf(witness.name, witness.type, witness.publicKey)
  return formatSignatureLine(witness.name, keyId, timed)
}

/** A log of one entry, and the policy that trusts it without a witness. */
export async function logOf(entry: Uint8Array): Promise<Pick<LogVector, 'policy' | 'proof'>> {
  const text = formatCheckpoint({ origin: LOG.name, size: 1, root: await hashLeaf(entry) })
  const note = `${text}\n${await signed(text, LOG)}`
  const proof = formatProof({ entry, index: 0, hashes: [], note })
  return { policy: `log ${await vkeyOf(LOG)}\nquorum none\n`, proof }
}

const STATUS_DATA = canonicalJson({ state: 'operational' })

/** A chain of eleven versions: a tree whose size is not a power of two. */
function makeChain(): readonly VersionEntry[] {
  const chain: VersionEntry[] = []
  for (let sequence = 1; sequence <= 11; sequence += 1) {
    const roadmap = sha256Base64url(canonicalJson({ step: sequence }))
    const resources = { roadmap, status: sha256Base64url(STATUS_DATA) }
    const content = {
      createdAt: new Date((NOW_SECONDS - (30 - sequence) * DAY) * 1000).toISOString(),
      registryVersion: '1.0.0',
      note: `Version ${sequence}: café.`,
    }
    chain.push(madeEntry(chain.at(-1), resources, content))
  }
  return chain
}

/** Every case of test/vectors/log by the name of its file. */
export async function buildLogVectors(): Promise<ReadonlyMap<string, LogVector>> {
  const vectors = new Map<string, LogVector>()
  const chain = makeChain()
  const entries = chain.map((entry) => Buffer.from(versionHashText(entry)))
  const leaves = Buffer.concat(await Promise.all(entries.map((entry) => hashLeaf(entry))))
  const tree = await createHashTree(leaves)
  const { size } = tree
  const root = await rootOf(tree, size)
  const text = formatCheckpoint({ origin: LOG.name, size, root })
  const log = await signed(text, LOG)
  const fresh = NOW_SECONDS - 3600
  const [one, two] = [await cosigned(text, W1, fresh), await cosigned(text, W2, fresh - 60)]
  const note = `${text}\n${log}${one}${two}`
  const policy = [
    '# two of three',
    `log ${await vkeyOf(LOG)} https://api.example.org/log`,
    `witness w1 ${await vkeyOf(W1)} https://w1.example/`,
    `witness w2 ${await vkeyOf(W2)}`,
    `witness\tw3  ${await vkeyOf(W3)}`,
    'group partners 2 w1 w2 w3',
    'quorum partners',
    '',
  ].join('\n')
  const alone = `log ${await vkeyOf(LOG)}\nquorum none\n`

  const base = { now: new Date(NOW_SECONDS * 1000).toISOString(), policy }
  const aged = { ...base, maxAgeSeconds: 7 * DAY }
  const head = { size, root: encodeBase64(root) }
  const atOf = (seconds: number) => new Date(seconds * 1000).toISOString()
  const witnessed = { ...head, witnessedAt: atOf(fresh - 60) }
  const unwitnessed = { ...head, witnessedAt: null }
  const add = (name: string, vector: LogVector): void => {
    vectors.set(name, vector)
  }
  const good = (name: string, description: string, change: Partial<LogVector>): void => {
    add(name, { description, expected: 'ok', ...aged, note, result: witnessed, ...change })
  }
  const bad = (
    name: string,
    expected: LogVector['expected'],
    description: string,
    change: Partial<LogVector>,
  ): void => {
    add(name, { description, expected, ...aged, note, ...change })
  }

  good('good-checkpoint', 'Two of three witnesses cosigned; the older of the two counts.', {})
  good('good-alone', 'The policy asks for no witness.', { policy: alone, result: unwitnessed })
  good('good-unknown-lines', 'Lines of unknown keys are ignored, also with a known name.', {
    note: `${note}${await cosigned(text, makeKey('witness.example/w3', COSIGNATURE, 0x44), fresh)}${formatSignatureLine('witness.example/later', '01020304', Buffer.alloc(2428, 7))}`,
  })
  good('good-rotation', 'Two keys of the log signed; the policy knows one.', {
    note: `${text}\n${await signed(text, NEW_LOG)}${log}${one}${two}`,
  })
  good('good-witness-first', 'The lines of witnesses come before that of the log.', {
    note: `${text}\n${two}${one}${log}`,
  })
  good(
    'good-second-key-of-origin',
    'Another key signed with the name of the log, in another format.',
    {
      note: `${note}${formatSignatureLine(LOG.name, '9a31634d', Buffer.alloc(70, 0x30))}`,
    },
  )
  good('good-at-age-limit', 'The quorum is exactly as old as it may be.', {
    now: atOf(fresh - 60 + 7 * DAY),
  })
  good('good-nested-groups', 'Groups of groups, with any and all.', {
    policy: policy.replace(
      /group[^]*/,
      'group first any w1 w3\ngroup both all first w2\nquorum both\n',
    ),
  })
  // A witness of ML-DSA-44, whose cosignature another program made.
  const [pqVkey, pqNote] = ['pq.vkey', 'pq.checkpoint'].map((name) => example(name).trimEnd())
  const pqAt = 1795413001
  const pq = {
    policy: `log ${example('vkey').trimEnd()}\nwitness pq ${pqVkey}\nquorum pq\n`,
    note: `${pqNote}\n`,
    now: atOf(pqAt + 3600),
  }
  const withPq = `witness pq ${pqVkey}\n`
  add('good-ml-dsa-44', {
    description: 'A witness cosigned with ML-DSA-44.',
    expected: 'ok',
    withoutMlDsa44: 'UNWITNESSED',
    ...pq,
    result: {
      size: 8,
      root: pq.note.split('\n')[2] ?? '',
      witnessedAt: atOf(pqAt),
    },
  })
  add('changed-ml-dsa-44', {
    description: 'One bit of a cosignature of ML-DSA-44 was changed.',
    expected: 'SIGNATURE',
    withoutMlDsa44: 'UNWITNESSED',
    ...pq,
    note: pq.note.replace(/(?<=\/pq \S{1000})\S/, (found) => (found === 'A' ? 'B' : 'A')),
  })
  good('good-beside-ml-dsa-44', 'A witness of ML-DSA-44 beside those that met the quorum.', {
    policy: policy.replace('group', `${withPq}group`),
  })
  good('good-log-ml-dsa-44', 'A second line of the log has a key of ML-DSA-44.', {
    policy: `log ${pqVkey}\n${policy}`,
  })
  good('good-policy-comment', 'A comment has control characters, and is after spaces.', {
    policy: ` \t# \u0001\u007f\u00a0\u3000\n${policy}`,
  })
  good('good-policy-names', 'Names of witnesses have other spaces than space and tab.', {
    policy: policy
      .replace('witness w1', 'witness w\u00a01')
      .replace('witness w2', 'witness \u3000')
      .replace('w1 w2 w3', 'w\u00a01 \u3000 w3'),
  })
  bad('unwitnessed', 'UNWITNESSED', 'One of the required two witnesses cosigned.', {
    note: `${text}\n${log}${one}`,
  })
  bad('unwitnessed-twice-the-same', 'UNWITNESSED', 'One witness cosigned twice.', {
    note: `${text}\n${log}${one}${await cosigned(text, W1, fresh - 5)}`,
  })
  bad('unwitnessed-in-the-future', 'UNWITNESSED', 'A witness cosigned an hour ahead.', {
    note: `${text}\n${log}${one}${await cosigned(text, W3, NOW_SECONDS + 3600)}`,
  })
  const timeless = await cosigned(text, W2, 0)
  bad('unwitnessed-time-zero', 'UNWITNESSED', 'A time of 0 makes no statement about the time.', {
    ...base,
    note: `${text}\n${log}${one}${timeless}`,
    maxAgeSeconds: 60 * 365 * DAY,
  })
  good('good-time-zero-beside', 'A time of 0 beside the time of the same witness.', {
    note: `${note}${timeless}`,
  })
  for (const [name, time] of [
    ['safe', 2n ** 53n],
    ['signed', 2n ** 63n],
  ] as const) {
    bad(`cosignature-time-${name}`, 'SIGNATURE', `The time of a cosignature is ${time}.`, {
      note: `${text}\n${log}${one}${two}${await cosigned(text, W3, time)}`,
    })
  }
  bad('age-zero', 'STALE_WITNESS', 'The maximum age is 0.', { maxAgeSeconds: 0 })
  bad('stale-witness', 'STALE_WITNESS', 'The second newest cosignature is eight days old.', {
    note: `${text}\n${log}${one}${await cosigned(text, W2, NOW_SECONDS - 8 * DAY)}`,
  })
  bad('unknown-log', 'UNKNOWN_LOG', 'Another log signed.', {
    note: `${text}\n${await signed(text, OTHER_LOG)}${one}${two}`,
  })
  const foreign = formatCheckpoint({ origin: OTHER_LOG.name, size, root })
  bad('other-origin', 'UNKNOWN_LOG', 'The log signed a checkpoint with the origin of another.', {
    note: `${foreign}\n${await signed(foreign, LOG)}${await cosigned(foreign, W1, fresh)}${await cosigned(foreign, W2, fresh)}`,
  })
  bad('tampered-size', 'SIGNATURE', 'The size was changed after signing.', {
    note: note.replace('\n11\n', '\n12\n'),
  })
  const wrong = formatCheckpoint({ origin: LOG.name, size: size + 1, root })
  bad('wrong-cosignature', 'SIGNATURE', 'A cosignature is of another tree.', {
    note: `${text}\n${log}${one}${two}${await cosigned(wrong, W3, fresh)}`,
  })
  const timed = Buffer.from(one.trim().split(' ')[2] ?? '', 'base64')
  timed.writeBigUInt64BE(BigInt(fresh + 1), 4)
  bad('changed-time', 'SIGNATURE', 'The time of a cosignature was changed.', {
    note: `${text}\n${log}\u2014 ${W1.name} ${timed.toString('base64')}\n${two}`,
  })
  /** A policy and a checkpoint of a log with another name. */
  const named = async (name: string) => {
    const key = makeKey(name, ED25519, 1)
    const signedText = formatCheckpoint({ origin: name, size, root })
    return {
      policy: `log ${await vkeyOf(key)}\nquorum none\n`,
      note: `${signedText}\n${await signed(signedText, key)}`,
    }
  }
  // The limit counts bytes of UTF-8.
  for (const [name, description, origin] of [
    ['longest', 'The name of a key has 255 bytes.', `${'\u0e01'.repeat(84)}abc`],
    ['of-a-mark', 'The name of a key has U+FEFF, which is not a space.', 'a\ufeffb'],
  ] as const) {
    good(`good-name-${name}`, description, { ...(await named(origin)), result: unwitnessed })
  }
  for (const [name, description, origin] of [
    ['too-long', 'The name of a key has 256 bytes.', `${'\u0e01'.repeat(85)}a`],
    ['with-space', 'The name of a key has a space of Unicode.', 'a\u3000b'],
    ['with-next-line', 'The name of a key has U+0085.', 'a\u0085b'],
  ] as const) {
    bad(`name-${name}`, 'MALFORMED', description, await named(origin))
  }
  for (const [name, description, changed] of [
    ['no-empty-line', 'There is no empty line before the signatures.', `${text}${log}`],
    ['no-signatures', 'The checkpoint has no signature.', `${text}\n`],
    ['no-origin', 'The line of the origin is missing.', note.slice(note.indexOf('\n') + 1)],
    ['no-size', 'The line of the size is missing.', note.replace('\n11\n', '\n')],
    ['no-root', 'The line of the root is missing.', note.replace(`${encodeBase64(root)}\n`, '')],
    ['no-line-break', 'The last line has no line break.', note.trimEnd()],
    ['size-with-zero', 'The size has a leading zero.', note.replace('\n11\n', '\n011\n')],
    ['size-huge', 'The size is 2^63.', note.replace('\n11\n', `\n${2n ** 63n}\n`)],
    ['size-long', 'The size has 5,000 digits.', note.replace('\n11\n', `\n${'9'.repeat(5000)}\n`)],
    ['size-negative', 'The size is negative.', note.replace('\n11\n', '\n-11\n')],
    [
      'short-root',
      'The root has 31 bytes.',
      note.replace(encodeBase64(root), encodeBase64(root.subarray(1))),
    ],
    ['hyphen', 'A signature line begins with a hyphen.', note.replace('\u2014', '-')],
    ['carriage-return', 'Lines end with CR LF.', note.replaceAll('\n', '\r\n')],
    ['loose-base64', 'The base64 of a signature has no padding.', note.replace(/=+\n$/, '\n')],
  ] as const) {
    bad(`malformed-${name}`, 'MALFORMED', description, { note: changed })
  }
  for (const [name, description, changed] of [
    ['two-quorums', 'The policy has two quorum lines.', `${policy}quorum none\n`],
    ['no-quorum', 'The policy has no quorum line.', policy.replace(/quorum.*\n/, '')],
    [
      'undefined',
      'A group has a member that is not defined above.',
      policy.replace('w1 w2 w3', 'w1 w2 w4'),
    ],
    [
      'twice',
      'A witness is a member of two groups.',
      policy.replace('quorum', 'group more any w1\nquorum'),
    ],
    [
      'too-many',
      'A group asks for more members than it has.',
      policy.replace('partners 2', 'partners 4'),
    ],
    ['none', 'A group has the reserved name none.', policy.replaceAll('partners', 'none')],
    [
      'same-key',
      'Two witnesses have the same key.',
      policy.replace(await vkeyOf(W2), await vkeyOf({ ...W1, name: 'witness.example/w9' })),
    ],
    [
      'same-log-key',
      'Two lines of logs have the same key.',
      policy.replace(/^log .*\n/m, (line) => line + line),
    ],
    [
      'key-id',
      'A key ID does not follow from name and key.',
      policy.replace(`${LOG.name}+`, `x${LOG.name}+`),
    ],
    [
      'log-type',
      'A witness has a key of a log.',
      policy.replace(await vkeyOf(W2), await vkeyOf(NEW_LOG)),
    ],
    ['unknown-word', 'A line begins with another word.', `${policy}witnesses 3\n`],
    ['threshold-zero', 'A group asks for no member.', policy.replace('partners 2', 'partners 0')],
    [
      'threshold-huge',
      'A group asks for more members than fit into an integer.',
      policy.replace('partners 2', `partners ${'9'.repeat(30)}`),
    ],
    ['line-ends', 'The lines end with CR LF.', policy.replaceAll('\n', '\r\n')],
    ['empty', 'The policy is empty.', ''],
  ] as const) {
    bad(`policy-${name}`, 'MALFORMED', description, { policy: changed })
  }

  const index = 9
  const entry = entries[index] as Buffer
  const hashes = await inclusionProof(tree, index, size)
  const proof = formatProof({ entry, index, hashes, note })
  const bare = formatProof({ entry: undefined, index, hashes, note })
  const proved = { ...witnessed, hash: chain[index]?.hash ?? '', resources: [] }
  const goodProof = (name: string, description: string, change: Partial<LogVector>): void => {
    add(name, { description, expected: 'ok', ...base, proof, result: proved, ...change })
  }
  const badProof = (
    name: string,
    expected: LogVector['expected'],
    description: string,
    change: Partial<LogVector>,
  ): void => {
    add(name, { description, expected, ...base, proof, ...change })
  }
  goodProof('good-proof', 'An offline proof with its entry.', {})
  goodProof('good-proof-years-later', 'An offline proof is valid at any age.', {
    now: '2031-01-01T00:00:00.000Z',
  })
  goodProof('good-proof-with-entry-beside', 'The entry is beside the proof.', {
    proof: bare,
    entryBase64: entry.toString('base64'),
  })
  goodProof('good-proof-with-resource', 'The bytes of a resource are verified by the entry.', {
    resourceBase64: Buffer.from(STATUS_DATA).toString('base64'),
    result: { ...proved, resources: ['status'] },
  })
  for (const [at, name] of [
    [0, 'first'],
    [10, 'last'],
  ] as const) {
    goodProof(
      `good-proof-${name}`,
      `The ${name} entry, in a tree whose size is not a power of two.`,
      {
        proof: formatProof({
          entry: entries[at],
          index: at,
          hashes: await inclusionProof(tree, at, size),
          note,
        }),
        result: { ...proved, hash: chain[at]?.hash ?? '' },
      },
    )
  }
  badProof('proof-without-entry', 'ENTRY', 'The proof does not contain the entry.', { proof: bare })
  badProof('proof-of-other-entry', 'INCLUSION', 'The entry is another one.', {
    proof: formatProof({ entry: entries[8], index, hashes, note }),
  })
  badProof('proof-other-index', 'INCLUSION', 'The index is another one.', {
    proof: formatProof({ entry, index: 8, hashes, note }),
  })
  badProof('proof-index-outside', 'INCLUSION', 'The index is not below the size.', {
    proof: formatProof({ entry, index: size, hashes, note }),
  })
  badProof('proof-hash-missing', 'INCLUSION', 'A hash is missing.', {
    proof: formatProof({ entry, index, hashes: hashes.slice(1), note }),
  })
  badProof('proof-hash-more', 'INCLUSION', 'There is a hash too many.', {
    proof: formatProof({ entry, index, hashes: [...hashes, root], note }),
  })
  badProof('proof-unwitnessed', 'UNWITNESSED', 'The checkpoint of the proof has no quorum.', {
    proof: formatProof({ entry, index, hashes, note: `${text}\n${log}` }),
  })
  badProof('proof-other-resource', 'RESOURCE', 'The version has no resource with these bytes.', {
    resourceBase64: Buffer.from('{"state":"down"}').toString('base64'),
  })
  for (const [name, description, changed] of [
    ['first-line', 'The first line is another one.', proof.replace('@v1', '@v2')],
    ['index', 'The index has a leading zero.', proof.replace('index 9', 'index 09')],
    ['hash', 'A hash is not base64.', proof.replace(/index 9\n./, 'index 9\n!')],
    ['extra', 'The entry is not base64.', proof.replace('extra ', 'extra !')],
    ['index-huge', 'The index is 2^63.', proof.replace('index 9', `index ${2n ** 63n}`)],
    [
      'index-long',
      'The index has 5,000 digits.',
      proof.replace('index 9', `index ${'9'.repeat(5000)}`),
    ],
    [
      'hashes',
      'There are more hashes than a proof can have.',
      formatProof({ entry, index, hashes: Array<Uint8Array>(64).fill(root), note }),
    ],
    ['line-ends', 'The lines end with CR LF.', proof.replaceAll('\n', '\r\n')],
    ['end', 'A line follows the signatures.', `${proof}and more\n`],
  ] as const) {
    badProof(`proof-malformed-${name}`, 'MALFORMED', description, { proof: changed })
  }
  // A log may sign any bytes. What is not a version entry must not pass as one.
  const strange: readonly (readonly [name: string, content: string | Buffer])[] = [
    ['not-canonical', `svc-version-v1\n{ ${entry.toString().slice('svc-version-v1\n{'.length)}`],
    ['other-sequence', versionHashText(chain[3] as VersionEntry)],
    ['not-an-entry', 'svc-version-v1\n{"sequence":1,"snapshotId":"VS-0001"}'],
    [
      'repeated-name',
      entries[0]?.toString().replace('"changes":', '"changes":[],"changes":') ?? '',
    ],
    [
      'number-of-other-form',
      entries[0]?.toString().replace('"sequence":1', '"sequence":1.0') ?? '',
    ],
    [
      'huge-number',
      entries[0]?.toString().replace('"sequence":1', `"sequence":${'9'.repeat(400)}`) ?? '',
    ],
    ['other-label', entries[0]?.toString().replace('svc-version-v1', 'svc-version-v2') ?? ''],
    ['not-utf-8', Buffer.from(entries[0] ?? []).fill(0xff, 40, 41)],
    [
      'with-hash',
      entries[0]?.toString().replace('"note":', `"hash":"${chain[0]?.hash}","note":`) ?? '',
    ],
    ...MALFORMED_MEMBERS.map(([name, , members]) => {
      const { hash: _, ...first } = { ...chain[0], ...members } as VersionEntry
      return [name, versionHashText(first)] as const
    }),
  ]
  for (const [name, content] of strange) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    const parts = await logOf(bytes)
    badProof(`entry-${name}`, 'ENTRY', 'The log contains something else than the version.', parts)
  }
  return vectors
}
