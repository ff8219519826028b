import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { ProofVerifier } from './verifiers.ts'

const VECTORS = 'test/vectors/log'
const EXAMPLE = `${VECTORS}/example`

/** What a program for offline proofs must do. */
export function describeProofVerifier({ file, missing, run, runVectors }: ProofVerifier): void {
  describe(file, { skip: missing }, () => {
    test('agrees with every vector of the log', async () => {
      const cases = readdirSync(VECTORS).filter((name) => name.endsWith('.json')).length
      const { out, error } = await runVectors(VECTORS)
      assert.equal(out, `${cases} cases have the expected outcome\n`, error)
    })

    test('verifies a proof offline, and names the step that fails', async () => {
      const good = await run(`${EXAMPLE}/extra.tlog-proof`, `${EXAMPLE}/policy`)
      assert.equal(good.status, 0, good.error)
      assert.match(
        good.out,
        /^Verified: VS-0008 .*, hash e9356f7e.*\nIn a log of 8 versions; quorum/,
      )
      const bare = await run(`${EXAMPLE}/VS-0008.tlog-proof`, `${EXAMPLE}/policy`)
      assert.deepEqual([bare.status, bare.error.split(':')[0]], [1, 'ENTRY'])
      const other = await run(`${EXAMPLE}/extra.tlog-proof`, `${EXAMPLE}/policy`, 'package.json')
      assert.deepEqual([other.status, other.error.split(':')[0]], [1, 'RESOURCE'])
      const missingFile = await run(`${EXAMPLE}/missing`, `${EXAMPLE}/policy`)
      assert.deepEqual([missingFile.status, missingFile.error.split(':')[0]], [1, 'UNREADABLE'])
      assert.equal((await run()).status, 2)
    })

    test('refuses files that are changed on the way, and reads no endless one', async (t) => {
      const folder = temporaryFolder(t)
      const proof = readFileSync(`${EXAMPLE}/extra.tlog-proof`, 'utf8')
      const changed = path.join(folder, 'proof')
      for (const [content, step] of [
        [proof.replaceAll('\n', '\r\n'), /^MALFORMED/],
        [`${proof}\n`, /^MALFORMED/],
        [Buffer.from(proof).fill(0xff, 100, 101), /^(?:MALFORMED|UNREADABLE)/],
        [`${proof}${' '.repeat(1_000_000)}`, /^MALFORMED/],
      ] as const) {
        writeFileSync(changed, content)
        const { status, error } = await run(changed, `${EXAMPLE}/policy`)
        assert.equal(status, 1)
        assert.match(error, step)
      }
      const endless = await run('/dev/zero', `${EXAMPLE}/policy`)
      assert.deepEqual([endless.status, endless.error.split(':')[0]], [1, 'MALFORMED'])
    })
  })
}
