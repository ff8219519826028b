import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { makeHistory } from '../../bench/made-history.ts'
import { summarizeVerification, type CheckSample } from '../../bench/verification-result.ts'
import { missedInVerification, verificationTables } from '../../bench/verification-tables.ts'
import { loadReleases } from '../../src/service/releases.ts'
import { openReleaseStore } from '../../src/storage/release-store.ts'
import { makeDeployment } from '../support/deployment.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const times = (micros: number) => ({ cpuMicros: micros, waitMicros: micros + 1 })
const sample = (client: number, nodeCrypto: number): CheckSample => ({
  client: times(client),
  webCrypto: times(nodeCrypto * 1.2),
  nodeCrypto: times(nodeCrypto),
})
const audit = (versions: number, seconds: number) => ({ versions, seconds, cpuSeconds: seconds })

/** A short answer and a long one; the machine is twice as slow in the second round. */
function resultOf(client: number, audits: readonly ReturnType<typeof audit>[]) {
  const answers = [
    {
      target: '/short',
      bodyBytes: 1800,
      samples: [sample(client, 100), sample(2 * client, 200), sample(client, 100)],
    },
    { target: '/long', bodyBytes: 200_000, samples: [sample(4000, 200)] },
  ]
  return summarizeVerification(8000, answers, audits)
}

test('a check is compared with the cryptography in its own round, and the first answer alone is judged', () => {
  const { answers, rounds } = resultOf(129, [audit(10_000, 2)])
  assert.equal(rounds, 3)
  const [short, long] = answers
  const client = short?.ways.find(({ way }) => way === 'client')
  assert.deepEqual(client?.toBare, { median: 1.29, lowest: 1.29, highest: 1.29 })
  assert.deepEqual(client.cpuMicros, { median: 129, lowest: 129, highest: 258 })
  assert.deepEqual([short?.isMet, long?.isMet], [true, undefined])
  assert.equal(resultOf(130, [audit(10_000, 2)]).answers[0]?.isMet, false)
})

test('an audit is judged on 10,000 versions alone, by the middle run', () => {
  const isMet = (...audits: readonly ReturnType<typeof audit>[]) =>
    resultOf(100, audits).audit.isMet
  assert.equal(isMet(audit(10_000, 9), audit(10_000, 2.9), audit(10_000, 2.8)), true)
  assert.equal(isMet(audit(10_000, 3), audit(10_000, 2.9), audit(10_000, 9)), false)
  assert.equal(isMet(audit(2000, 9)), undefined)
})

test('the tables tell every way, and name the target where it is judged and nowhere else', () => {
  const result = resultOf(170, [audit(10_000, 3.5)])
  const [short, long, history] = verificationTables(result)
  assert.match(short?.title ?? '', /GET \/short \(1,800 bytes of body, 3 rounds of 8,000 checks\)/)
  assert.deepEqual(short?.rows[0]?.slice(-4), ['1.70', '1.70 to 1.70', '1.30', 'not met'])
  assert.deepEqual(short?.rows[1]?.slice(-4), ['1.20', '1.20 to 1.20', '', ''])
  assert.deepEqual(short?.rows[2]?.slice(-4), ['', '', '', ''])
  assert.deepEqual(long?.rows[0]?.slice(-4), ['20.00', '20.00 to 20.00', '', ''])
  assert.deepEqual(history?.rows, [
    ['10,000', '1', '3.50', '3.50 to 3.50', '3.50', '3.00', 'not met'],
  ])
  assert.deepEqual(missedInVerification(result), [
    'checking an answer to /short, to node:crypto alone: found 1.70, expected less than 1.30',
    'an audit of 10,000 versions: found 3.50 s, expected less than 3.00 s',
  ])
  assert.deepEqual(missedInVerification(resultOf(120, [audit(2000, 9)])), [])
})

test('a made history is a chain that the service serves', (t) => {
  const { releasesDir } = makeDeployment(t)
  const folder = temporaryFolder(t)
  const made = path.join(folder, 'made')
  makeHistory(releasesDir, made, 12)
  const { headSnapshotId, faults, snapshot } = loadReleases(openReleaseStore(made))
  assert.equal(headSnapshotId, 'VS-0012')
  assert.deepEqual(faults, [])
  const before = loadReleases(openReleaseStore(releasesDir))
  assert.equal(snapshot('status')?.json, before.snapshot('status')?.json)
})
