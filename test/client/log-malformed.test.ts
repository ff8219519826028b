import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { parseSignedCheckpoint } from '@public-api/client-internal/log/checkpoint'
import { createHashTree } from '@public-api/client-internal/log/hash-tree'
import { LogError } from '@public-api/client-internal/log/log-error'
import { openPolicy } from '@public-api/client-internal/log/log-policy'
import { verifyProof } from '@public-api/client-internal/log/log-proof'
import { createTileHashes, parseBundle } from '@public-api/client-internal/log/tiles'
import { verifyCheckpoint } from '@public-api/client-internal/log/verify-checkpoint'
import { askWitness } from '../../src/tlog/signing/ask-witness.ts'
import { COSIGNED_MS, EXAMPLE, example } from '../support/log-example.ts'

const POLICY = example('policy')
const CHECKPOINT = example('checkpoint')
const PROOF = example('extra.tlog-proof')
const BUNDLE = readFileSync(new URL('tile/entries', EXAMPLE))

/** A change of a text, and what the error says about it. */
type Variant = readonly [from: string | RegExp, to: string, error: RegExp]

function changed(text: string, [from, to]: Variant): string {
  const result = text.replace(from, () => to)
  assert.notEqual(result, text, `nothing to change: ${String(from)}`)
  return result
}

async function rejection(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    assert.ok(error instanceof LogError, String(error))
    return error.message
  }
  return 'accepted'
}

const POLICY_VARIANTS: readonly Variant[] = [
  [/^log .*/m, 'log', /the policy, line 2: expected: log <vkey>/],
  [/^log .*/m, 'log x y z', /line 2: expected: log <vkey>/],
  [/^log \S+/m, 'log x', /line 2, column 5: expected a key as name/],
  ['log+23e81afd+', 'log+23e81afe+', /line 2, column 5: the key ID does not follow/],
  ['log+23e81afd+AYqI', 'log+23e81afd+BYqI', /line 2, column 5: the key has signature type 5/],
  ['0D29c', '0D29', /line 2, column 5: expected a key/],
  [/^/, '\n\n# more\nlog\n', /line 4: expected: log/],
  ['quorum w1', 'quorum', /line \d: expected: quorum/],
  ['quorum w1', 'quorum w2', /line \d, column 8: the name is not defined/],
  ['quorum w1', 'group g 2 w1\nquorum g', /line \d, column 9: expected a number from 1 to 1/],
  ['quorum w1', 'group g 0 w1\nquorum g', /line \d, column 9: expected a number/],
  ['quorum w1', 'group g 1 w1 w1\nquorum g', /line \d, column 14: the name is already a member/],
  ['quorum w1', 'group none 1 w1\nquorum none', /line \d, column 7: the name none is reserved/],
  ['quorum w1', 'Quorum w1', /line \d, column 1: expected log, witness, group or quorum/],
  ['quorum w1', '', /no quorum line/],
  ['quorum w1', 'quorum w1\r', /line \d: a control character/],
]

const CHECKPOINT_VARIANTS: readonly Variant[] = [
  [/^api/, '\napi', /the checkpoint, line 1: expected the origin/],
  ['\n8\n', '\n08\n', /line 2: expected the size/],
  ['\n8\n', '\n-8\n', /line 2/],
  ['\n8\n', '\n9007199254740993\n', /line 2/],
  ['9dLwA', '9dLw', /line 3: expected the root hash/],
  ['zg=', 'zh=', /line 3: expected the root hash/],
  ['\n\n', '\n', /an empty line before the signatures/],
  [/\n$/, '', /a line break at the end/],
  ['— api', '-- api', /line 5: expected an em dash/],
  ['— api', '—  api', /line 5/],
  ['I+ga', '!+ga', /line 5: the signature is not base64/],
  ['I+ga/f2', 'I+ga/f3', /SIGNATURE: .*line 5/],
  ['— witness', '— witness\u0007', /line 6: a control character/],
  [/(R8A5WgAAAABrA9QJ)/, 'R8A5WgAAAABrA9QK', /SIGNATURE: .*line 6/],
  [/\n$/, '\nx\n', /line 7/],
  ['\n8\n', '\n7\n', /SIGNATURE: .*line 5/],
]

const PROOF_VARIANTS: readonly Variant[] = [
  ['proof@v1', 'proof@v2', /the proof, line 1: expected c2sp/],
  ['extra ', 'extra  ', /line 2: expected extra and an entry/],
  ['extra ', 'Extra ', /line 2: expected index/],
  ['index 7', 'index 07', /line 3: expected index/],
  ['index 7', 'index', /line 3/],
  ['index 7', 'index 7\n', /the checkpoint/],
  [/(?<=index 7\n)./, '!', /line 4: expected a hash/],
  [/(?<=index 7\n)/, 'AAAA\n', /line 4: expected a hash/],
  [/(?<=index 7\n)/, `${'A'.repeat(43)}=\n`.repeat(64), /line 67: expected at most 63 hashes/],
  [/(?<=index 7\n)/, `${'A'.repeat(43)}=\n`, /INCLUSION: entry 7 of a tree of 8/],
  ['index 7', 'index 6', /INCLUSION: entry 6 of a tree of 8/],
  ['index 7', 'index 8', /INCLUSION: entry 8 of a tree of 8/],
]

for (const [what, text, variants, read] of [
  ['policy', POLICY, POLICY_VARIANTS, openPolicy],
  [
    'checkpoint',
    CHECKPOINT,
    CHECKPOINT_VARIANTS,
    async (note: string) =>
      verifyCheckpoint({ note, policy: await openPolicy(POLICY), nowMs: COSIGNED_MS }),
  ],
  [
    'proof',
    PROOF,
    PROOF_VARIANTS,
    async (proof: string) =>
      verifyProof({ proof, policy: await openPolicy(POLICY), nowMs: COSIGNED_MS }),
  ],
] as const) {
  describe(`a malformed ${what} is named by its line`, () => {
    for (const [index, variant] of variants.entries()) {
      test(`${index + 1}: ${variant[2].source}`, async () => {
        assert.match(await rejection(() => read(changed(text, variant))), variant[2])
      })
    }
  })
}

test('a malformed tile or bundle is named by its entry or path', async () => {
  const cases: readonly (readonly [Buffer, number, RegExp])[] = [
    [BUNDLE.subarray(0, 1), 8, /the bundle ends within entry 0 of 8/],
    [BUNDLE.subarray(0, -1), 8, /ends within entry 7 of 8/],
    [BUNDLE, 9, /ends within entry 8 of 9/],
    [BUNDLE, 7, /the bundle has \d+ bytes after 7 entries/],
    [Buffer.concat([BUNDLE, Buffer.alloc(1)]), 8, /has 1 bytes after 8 entries/],
  ]
  for (const [bytes, count, error] of cases) {
    assert.match(await rejection(() => parseBundle(bytes, count)), error)
  }
  for (const length of [0, 255, 257, 8192]) {
    const hashes = createTileHashes(8, async () => new Uint8Array(length))
    const error = new RegExp(`tile/0/000\\.p/8 has ${length} bytes, expected 256`)
    assert.match(await rejection(() => hashes.at(3, 0)), error)
  }
})

test('a malformed response of a witness is named by its line', async () => {
  const policy = await openPolicy(POLICY)
  const [witness] = policy.witnesses
  assert.ok(witness)
  const line = `${CHECKPOINT.split('\n')[5]}\n`
  const submission = {
    note: CHECKPOINT,
    checkpoint: parseSignedCheckpoint(CHECKPOINT),
    tree: await createHashTree(readFileSync(new URL('tile/hashes', EXAMPLE))),
  }
  const ask = async (status: number, body: string, type = 'text/plain') => {
    const respond = async () => new Response(body, { status, headers: { 'content-type': type } })
    const signal = AbortSignal.timeout(60_000)
    return askWitness({ ...witness, url: 'http://w.example/' }, submission, 8, respond, signal)
  }
  assert.equal((await ask(200, line)).kind, 'cosigned')
  const cases: readonly (readonly [Parameters<typeof ask>, kind: string, detail: RegExp])[] = [
    [[200, ''], 'failed', /no cosignature of \S+, its key in the policy/],
    [[200, 'OK'], 'failed', /line 1: expected an em dash/],
    [[200, `— other AAAAAAAA\n— x\n`], 'failed', /line 2: the signature is not base64/],
    [[200, line.replace('R8A5WgAA', 'R8A5WgAB')], 'failed', /line 1: the cosignature is not valid/],
    [[200, line.replace('w1', 'w2')], 'failed', /no cosignature of \S+, its key in the policy/],
    [[200, '— a AAAAAAAA\n'.repeat(65)], 'failed', /more than 64 lines/],
    [[200, 'x'.repeat(131_073)], 'failed', /more than 131072 bytes/],
    [[409, '', 'text/x.tlog.size'], 'failed', /409 states no size/],
    [[409, '05\n', 'text/x.tlog.size'], 'failed', /409 states no size/],
    [[409, '5\n', 'text/x.tlog.size'], 'failed', /states size 5 again/],
    [[409, '9\n', 'text/x.tlog.size'], 'alarm', /has seen 9 entries.*behind/],
    [[409, '9\n'], 'alarm', /another tree of 8 entries/],
    [[422, ''], 'alarm', /another history/],
    [[302, ''], 'failed', /status 302/],
  ]
  for (const [answer, kind, detail] of cases) {
    const outcome = await ask(...answer)
    assert.equal(outcome.kind, kind, JSON.stringify(answer).slice(0, 80))
    assert.match('detail' in outcome ? outcome.detail : '', detail)
  }
})
