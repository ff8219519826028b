import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { compileContent } from '../../src/publishing/compile/compile-content.ts'
import { editContent, FIXTURE_NOW_MS, makeContent } from './content-fixture.ts'

/** A piece of evidence as YAML writes it in one line. */
const evidence = (id: string, producedOn: string) =>
  `{ id: ${id}, title: T, kind: test_report, statement: S, producedOn: ${producedOn}, verification: V }`

async function mistakesOf(folder: string): Promise<readonly string[]> {
  const { mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  return mistakes.map(
    ({ field, found, expected }) => `${field}: found ${found}, expected ${expected}`,
  )
}

test('a wallet that is not attached has no evidence', async (t) => {
  const folder = makeContent(t)
  assert.deepEqual(await mistakesOf(folder), [])
  editContent(
    folder,
    'wallet/evidence',
    'evidence: []',
    `evidence:\n  - ${evidence('one', '2026-01-01')}`,
  )
  assert.deepEqual(await mistakesOf(folder), [
    'evidence: found evidence, expected an empty list while no wallet is attached',
  ])
})

test('evidence of an attached wallet is listed newest first', async (t) => {
  const orders = [
    ['2026-01-02', '2026-01-01', 0],
    ['2026-01-01', '2026-01-01', 0],
    ['2026-01-01', '2026-01-02', 1],
  ] as const
  for (const [first, second, wanted] of orders) {
    const folder = makeContent(t)
    for (const name of SNAPSHOT_NAMES) {
      if (name.startsWith('wallet')) editContent(folder, name, 'attached: false', 'attached: true')
    }
    editContent(
      folder,
      'wallet/evidence',
      'evidence: []',
      `evidence:\n  - ${evidence('one', first)}\n  - ${evidence('two', second)}`,
    )
    const found = (await mistakesOf(folder)).filter((mistake) => mistake.startsWith('evidence'))
    assert.equal(found.length, wanted, found.join())
  }
})

test("the flows of the wallet's architecture connect its own components", async (t) => {
  const folder = makeContent(t)
  editContent(
    folder,
    'wallet/architecture',
    'components: []\nflows: []',
    `components:
  - { id: signer, name: N, kind: program, state: planned, role: R }
  - { id: view, name: N, kind: program, state: live, role: R }
flows:
  - { id: a, from: signer, to: view, data: D, means: M, state: live }
  - { id: b, from: view, to: server, data: D, means: M, state: planned }`,
  )
  const mistakes = await mistakesOf(folder)
  assert.equal(mistakes.length, 2, mistakes.join('\n'))
  assert.match(mistakes.join('\n'), /flows\[0\]\.state: .*planned, because its component signer is/)
  assert.match(mistakes.join('\n'), /flows\[1\]\.to: found a reference to "server"/)
})
