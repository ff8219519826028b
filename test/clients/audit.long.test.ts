import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { createClient } from '@public-api/client-internal/client'
import { auditHistory } from '@public-api/client-internal/history/audit-history'
import {
  verifyEvidence,
  type HistoryEvidence,
} from '@public-api/client-internal/history/history-evidence'
import { createFileHeadStore } from '@public-api/client-internal/node/file-head-store'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { type PublishedHistory } from '../../src/service/releases/releases.ts'
import { misstatingReleases, rewrittenReleases } from '../client/rewritten-releases.ts'
import { clientCommands, openGoFolder } from '../docs/verifiers.ts'
import { serve } from '../support/loopback-server.ts'
import { madeHistory } from '../support/made-releases.ts'
import { failedWith, succeeded } from '../support/run-svc.ts'
import { otherSigningKey, runApp, TEST_SIGNING_KEY, testSigning } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PIN = derivePublicSigningKey(TEST_SIGNING_KEY).keyId
const pinnedKeyIds = [PIN]

const go = openGoFolder()
after(() => go.close())

/** A service as of some time before now. */
interface Deployment {
  readonly releases: PublishedHistory
  readonly secondsAgo?: number
  readonly signing?: ReturnType<typeof testSigning>
}

/** Services behind one address. `choose` says which one responds to a target. */
async function deploy(t: TestContext, ...deployments: readonly Deployment[]) {
  const apps = await Promise.all(
    deployments.map(({ secondsAgo = 0, ...parts }) =>
      runApp(t, { clock: { nowMs: () => Date.now() - secondsAgo * 1000 }, ...parts }),
    ),
  )
  const front = { origin: '', choose: (_: string): number => 0 }
  front.origin = await serve(t, (request, response) => {
    const target = String(request.url)
    const passOn = async () => {
      const honest = await fetch(`${apps[front.choose(target)]?.origin}${target}`)
      const body = Buffer.from(await honest.arrayBuffer())
      response.writeHead(honest.status, Object.fromEntries(honest.headers)).end(body)
    }
    passOn().catch(() => response.destroy())
  })
  return front
}

function auditByLibrary(origin: string, state: string) {
  const client = createClient({ baseUrl: origin, pinnedKeyIds })
  return auditHistory({ client, store: createFileHeadStore(state) })
}

const made = (count: number): Deployment => ({ releases: madeHistory(count) })

for (const { file, missing, runCommandLine } of clientCommands(go)) {
  void test(file, { skip: missing ?? false }, async (t) => {
    const folder = temporaryFolder(t)
    let files = 0
    const newFile = () => path.join(folder, `file-${(files += 1)}.json`)
    const audit = (origin: string, ...args: readonly string[]) =>
      runCommandLine('audit', origin, '--pin', PIN, ...args)
    /** Audits the first service, then the second with the same state. */
    const auditBoth = async (part: TestContext, before: Deployment, now: Deployment) => {
      const front = await deploy(part, before, now)
      const [state, evidence] = [newFile(), newFile()]
      succeeded(await audit(front.origin, '--state', state))
      front.choose = () => 1
      const second = await audit(front.origin, '--state', state, '--evidence', evidence)
      return { ...second, evidence, state, front }
    }
    const requireProof = async (evidence: string, fault: string) => {
      const proof = JSON.parse(readFileSync(evidence, 'utf8')) as HistoryEvidence
      assert.equal((await verifyEvidence(proof, { pinnedKeyIds })).fault, fault)
    }

    await t.test('shares its state with the JavaScript client', async (part) => {
      const front = await deploy(part, made(3), made(5))
      const state = newFile()
      await auditByLibrary(front.origin, state)
      // As svc audit saves them with --policy and --pin-from, and a field of a later version.
      const others = {
        checkpoints: ['a checkpoint'],
        pinFrom: 'dns:api.example.org',
        later: { is: [1, 'é'] },
      }
      const readState = () => JSON.parse(readFileSync(state, 'utf8')) as typeof others
      writeFileSync(state, JSON.stringify({ ...readState(), ...others }))
      const othersNow = () => {
        const { checkpoints, pinFrom, later } = readState()
        return { checkpoints, pinFrom, later }
      }
      front.choose = () => 1
      const { status, out, error } = await audit(front.origin, '--state', state)
      assert.equal(status, 0, error)
      assert.deepEqual(out.match(/^VS-\d+/gm), ['VS-0004', 'VS-0005'])
      assert.match(error, /^Audited: VS-0005 is the newest of the history, 2 versions recomputed/m)
      assert.deepEqual(othersNow(), others)
      const { previousHead, newVersions } = await auditByLibrary(front.origin, state)
      assert.deepEqual([previousHead?.snapshotId, newVersions.length], ['VS-0005', 0])
      assert.deepEqual(othersNow(), others)
    })

    await t.test('proves a rewritten history', async (part) => {
      const now = { releases: rewrittenReleases(4, 2, (entry) => ({ ...entry, note: 'Other.' })) }
      const { status, out, error, evidence } = await auditBoth(part, made(4), now)
      assert.deepEqual([status, out, error.split(':')[0]], [1, '', 'REWRITTEN'], error)
      await requireProof(evidence, 'REWRITTEN')
    })

    await t.test('proves a shortened history once a release cannot explain it', async (part) => {
      const fault = await auditBoth(part, { ...made(4), secondsAgo: 660 }, made(3))
      assert.deepEqual([fault.status, fault.error.split(':')[0]], [1, 'SHORTENED'], fault.error)
      await requireProof(fault.evidence, 'SHORTENED')
      const recent = await auditBoth(part, { ...made(4), secondsAgo: 300 }, made(3))
      assert.deepEqual([recent.status, recent.out], [3, ''], recent.error)
      // The state remembers both, and the JavaScript client reads it.
      recent.front.choose = () => 0
      await auditByLibrary(recent.front.origin, recent.state)
    })

    await t.test('proves changes that an entry misstates', async (part) => {
      for (const sequence of [1, 3, 4]) {
        const front = await deploy(part, { releases: misstatingReleases(4, sequence, []) })
        const evidence = newFile()
        const { status, error } = await audit(front.origin, '--evidence', evidence)
        assert.deepEqual([status, error.split(':')[0]], [1, 'CHANGES_FALSE'], error)
        await requireProof(evidence, 'CHANGES_FALSE')
      }
    })

    await t.test('a resource of another version is not settled', async (part) => {
      const front = await deploy(part, made(4), made(1))
      front.choose = (target) => (target.startsWith('/api/v1/status') ? 1 : 0)
      const state = newFile()
      assert.match(failedWith(3, await audit(front.origin, '--state', state)), /INCONSISTENT/)
      front.choose = () => 0
      const again = await audit(front.origin, '--state', state)
      assert.equal(again.status, 0, again.error)
      assert.match(again.error, /4 versions recomputed/)
    })

    await t.test('does not blame a service for the state of another one', async (part) => {
      const state = newFile()
      const other = await deploy(part, made(4))
      assert.equal((await audit(other.origin, '--state', state)).status, 0)
      const front = await deploy(part, made(3))
      const { status, out, error } = await audit(front.origin, '--state', state)
      assert.deepEqual([status, out, error.split(':')[0]], [2, '', 'OTHER_ORIGIN'])
      const moved = await deploy(part, made(5))
      assert.equal((await audit(moved.origin, '--state', state, '--moved')).status, 0)
    })

    await t.test('unrelated keys prove nothing against either', async (part) => {
      const signing = testSigning(otherSigningKey())
      const front = await deploy(part, made(4), { ...made(3), signing })
      const state = newFile()
      assert.equal((await runCommandLine('audit', front.origin, '--state', state)).status, 0)
      front.choose = () => 1
      const error = failedWith(1, await runCommandLine('audit', front.origin, '--state', state))
      assert.match(error, /^UNLINKED_KEYS: /m)
    })

    await t.test('two audits at once leave a state that the next one reads', async (part) => {
      const front = await deploy(part, made(4))
      const state = newFile()
      const both = await Promise.all([1, 2].map(() => audit(front.origin, '--state', state)))
      assert.deepEqual(
        both.map(({ status, error }) => [status, error.match(/VS-\d+/)?.[0]]),
        [
          [0, 'VS-0004'],
          [0, 'VS-0004'],
        ],
      )
      const next = await audit(front.origin, '--state', state)
      assert.deepEqual([next.status, next.out], [0, ''], next.error)
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.endsWith('.tmp')),
        [],
      )
    })

    await t.test('refuses a state that it cannot read', async (part) => {
      const front = await deploy(part, made(1))
      const kept = newFile()
      assert.equal((await audit(front.origin, '--state', kept)).status, 0)
      // A digest that the body does not have: an edited state would accuse the service.
      const edited = readFileSync(kept, 'utf8').replace('"bodyBase64":"e', '"bodyBase64":"f')
      for (const text of ['', '{}', '{"keys":[]}', '[', 'null', edited]) {
        const state = newFile()
        writeFileSync(state, text)
        const { status, error } = await audit(front.origin, '--state', state)
        assert.deepEqual([status, error.split(':')[0]], [2, 'UNREADABLE'], text)
        assert.equal(readFileSync(state, 'utf8'), text)
      }
    })
  })
}
