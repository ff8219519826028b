import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { encodeBase64 } from '@public-api/client-internal/base64'
import { parseSignedCheckpoint } from '@public-api/client-internal/log/checkpoint'
import {
  ForkError,
  verifyForkEvidence,
  verifyOneHistory,
} from '@public-api/client-internal/log/fork-evidence'
import { createHashTree } from '@public-api/client-internal/log/hash-tree'
import { LogError } from '@public-api/client-internal/log/log-error'
import { openPolicy } from '@public-api/client-internal/log/log-policy'
import { verifyProof } from '@public-api/client-internal/log/log-proof'
import { hashLeaf, rootOf } from '@public-api/client-internal/log/merkle-tree'
import { ED25519, importVkey, parseNote } from '@public-api/client-internal/log/signed-note'
import { parseBundle } from '@public-api/client-internal/log/tiles'
import { verifyCheckpoint } from '@public-api/client-internal/log/verify-checkpoint'
import { assert as assertProperty, asyncProperty, constantFrom, nat, string } from 'fast-check'
import { documentedBlocks } from '../support/documented-blocks.ts'
import { COSIGNED_MS, EXAMPLE, example } from '../support/log-example.ts'
import { logFixture, witnessSigner } from '../support/log-fixture.ts'

const isMalformed = (place: RegExp) => (error: unknown) =>
  error instanceof LogError && error.code === 'MALFORMED' && place.test(error.message)

test("C2SP's example note verifies with its key, and not with another text", async () => {
  // signed-note.md, the example of a note and its verifier key.
  const note =
    'If you think cryptography is the ' +
    'answer to your problem,\n' +
    "then you don't know what your problem is.\n\n" +
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'
  const vkey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
  const key = await importVkey(vkey, [ED25519], 'the example')
  const { text, signatures } = parseNote(note)
  const [line] = signatures
  assert.deepEqual([line?.name, line?.keyId, line?.line], [key.name, key.keyId, 4])
  const signature = line?.signature ?? new Uint8Array()
  assert.equal(await key.isSignatureOf(signature, text), true)
  assert.equal(await key.isSignatureOf(signature, `${text} `), false)
})

test('a log that other implementations accept verifies: checkpoint, entries, hashes and proofs', async () => {
  const policy = await openPolicy(example('policy'))
  const checkpoint = await verifyCheckpoint({
    note: example('checkpoint'),
    policy,
    nowMs: COSIGNED_MS + 60_000,
  })
  assert.deepEqual(
    [checkpoint.origin, checkpoint.size, checkpoint.witnessedAtMs, checkpoint.cosignatures],
    ['api.example.org/log', 8, COSIGNED_MS, [{ witness: 'w1', atMs: COSIGNED_MS }]],
  )
  const bundle = readFileSync(new URL('tile/entries', EXAMPLE))
  const entries = parseBundle(bundle, 8)
  const hashes = readFileSync(new URL('tile/hashes', EXAMPLE))
  assert.deepEqual(
    Buffer.concat(await Promise.all(entries.map((entry) => hashLeaf(entry)))),
    hashes,
  )
  const tree = await createHashTree(hashes)
  assert.equal(encodeBase64(await rootOf(tree, 8)), encodeBase64(checkpoint.root))

  const entry = readFileSync(new URL('entry-VS-0008.txt', EXAMPLE))
  const hash = createHash('sha256').update(entry).digest('hex')
  const nowMs = COSIGNED_MS + 3_600_000
  for (const proof of [
    await verifyProof({ proof: example('extra.tlog-proof'), policy, nowMs }),
    await verifyProof({ proof: example('VS-0008.tlog-proof'), entry, policy, nowMs }),
  ]) {
    assert.deepEqual([proof.version.snapshotId, proof.version.hash], ['VS-0008', hash])
  }
  const two = await openPolicy(example('policy2'))
  const { checkpoint: cosigned } = await verifyProof({
    proof: example('two.tlog-proof'),
    entry,
    policy: two,
    nowMs,
  })
  assert.deepEqual(cosigned.cosignatures.map(({ witness }) => witness).toSorted(), ['a', 'b'])
})

test('a post-quantum cosignature of 3 kB is ignored, not refused', async () => {
  const policy = await openPolicy(`log ${example('vkey').trim()}\nquorum none\n`)
  const { size } = await verifyCheckpoint({ note: example('pq.checkpoint'), policy, nowMs: 0 })
  assert.equal(size, 8)
})

test('the policy in docs/witnesses.md can be used, and asks for one of two partners', async () => {
  const blocks = documentedBlocks('docs/witnesses.md', 'Ask two partners')
  const policy = await openPolicy(blocks.find(({ text }) => text.startsWith('log '))?.text ?? '')
  assert.deepEqual([policy.logs.length, policy.witnesses.length], [1, 2])
  assert.deepEqual(
    [[], ['a'], ['b']].map((names) => policy.isMetBy(new Set(names))),
    [false, true, true],
  )
})

test('a policy accepts keys whose base64 contains a plus sign', async () => {
  for (let seed = 0; seed < 60; seed += 1) {
    const { vkey } = await witnessSigner('witness.example/w', seed)
    const { witnesses } = await openPolicy(`witness w ${vkey}\nquorum w\n`)
    assert.equal(witnesses[0]?.key.vkey, vkey)
  }
})

test('errors name the line', async () => {
  const policyText = example('policy')
  const checkpoint = example('checkpoint')
  const cases: readonly (readonly [Promise<unknown>, RegExp])[] = [
    [openPolicy(`${policyText}quorum w1\n`), /the policy, line 5: the quorum is already defined/],
    [openPolicy('witness a\nquorum a\n'), /the policy, line 1: expected: witness/],
    [openPolicy('log x\u0001\nquorum none\n'), /the policy, line 1: a control character/],
    [openPolicy('#'.repeat(140_000)), /the policy has more than 131072 bytes/],
    [openPolicy('#\u0001\nlog x\u0001\nquorum none\n'), /the policy, line 2: a control character/],
  ]
  for (const [refused, place] of cases) await assert.rejects(refused, isMalformed(place))
  const note = (text: string) => () => parseSignedCheckpoint(text)
  assert.throws(note(checkpoint.replace('\n8\n', '\n8.0\n')), isMalformed(/checkpoint, line 2/))
  assert.throws(note(checkpoint.replace('9dLwA', '9dLw!')), isMalformed(/checkpoint, line 3/))
  assert.throws(note(checkpoint.replace('— witness', '- witness')), isMalformed(/line 6/))
  assert.throws(note(`${checkpoint}${'— a b\n'.repeat(64)}`), isMalformed(/64 signatures/))
  assert.throws(note(`${checkpoint}— a ${'A'.repeat(131_072)}\n`), isMalformed(/131072 bytes/))
})

test('no text crashes a parser: it is read or refused with a LogError', async () => {
  const seeds = ['policy', 'policy2', 'checkpoint', 'VS-0008.tlog-proof', 'extra.tlog-proof'].map(
    example,
  )
  const policy = await openPolicy(example('policy'))
  await assertProperty(
    asyncProperty(constantFrom(...seeds), nat(), nat(40), string(), async (seed, at, cut, put) => {
      const start = at % seed.length
      const text = seed.slice(0, start) + put + seed.slice(start + cut)
      for (const read of [
        () => openPolicy(text),
        () => verifyCheckpoint({ note: text, policy, nowMs: COSIGNED_MS }),
        () => verifyProof({ proof: text, policy, nowMs: COSIGNED_MS }),
      ]) {
        try {
          await read()
        } catch (error) {
          assert.ok(error instanceof LogError, String(error))
        }
      }
    }),
    { numRuns: 300 },
  )
})

test('two trees of one log are of one history, or a third party can check the fork alone', async () => {
  const honest = await logFixture(11)
  const forged = await logFixture(11, { forkedAt: 4 })
  const policy = await openPolicy(honest.policy)
  for (const [size, oldSize] of [
    [11, 11],
    [11, 8],
    [11, 6],
    [9, 5],
    [8, 3],
  ] as const) {
    const [now, then, other] = [
      await honest.note(size),
      await honest.note(oldSize),
      await forged.note(oldSize),
    ]
    const tree = await honest.tree(size)
    await verifyOneHistory(then, now, tree)
    await verifyOneHistory(now, then, tree)
    if (oldSize <= 4) {
      await verifyOneHistory(other, now, tree)
      continue
    }
    const error: unknown = await verifyOneHistory(other, now, tree).catch((thrown) => thrown)
    assert.ok(error instanceof ForkError, String(error))
    const evidence = JSON.parse(JSON.stringify(error.evidence)) as typeof error.evidence
    assert.equal(await verifyForkEvidence(evidence, policy), 'api.example.org/log')

    // What an honest log signed is not evidence, whatever the proof says.
    for (const wrong of [
      { ...evidence, notes: [then, now] as const },
      { ...evidence, notes: [now, other] as const, proof: [] },
      { ...evidence, proof: [...evidence.proof, encodeBase64(new Uint8Array(32))] },
      { ...evidence, notes: [other.replace('—', '— x'), now] as const },
    ]) {
      if (size === oldSize && wrong.notes[0] === now) continue
      await assert.rejects(verifyForkEvidence(wrong, policy), LogError)
    }
  }
  for (const shapeless of [null, 7, [], {}, { format: 'svc-log-fork-v1', notes: [1, 2] }]) {
    await assert.rejects(
      verifyForkEvidence(shapeless as never, await openPolicy(honest.policy)),
      LogError,
    )
  }
  await assert.rejects(
    verifyOneHistory(await honest.note(5), await honest.note(8), await forged.tree(8)),
    (error) => error instanceof LogError && error.code === 'CONSISTENCY',
  )
})
