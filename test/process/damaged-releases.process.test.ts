import assert from 'node:assert/strict'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { makeDeployment, writeReleases } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/service-process.ts'

type Damage = (releasesDir: string) => void

const newest = (folder: string) => path.join(folder, 'versions', 'VS-0003.json')

/** Changes to the folder of a running service, with what the reason must name. */
const DAMAGES: { readonly [what: string]: readonly [reason: RegExp, change: Damage] } = {
  'the newest version is removed': [/VS-0003/, (folder) => rmSync(newest(folder))],
  'the newest version is cut': [
    /VS-0003/,
    (folder) => writeFileSync(newest(folder), readFileSync(newest(folder)).subarray(0, 40)),
  ],
  'the folder is emptied': [
    /VS-0001/,
    (folder) => {
      for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true })
    },
  ],
  'a resource of the newest version is rewritten': [
    /status/,
    (folder) => {
      const { resources } = JSON.parse(readFileSync(newest(folder), 'utf8')) as {
        readonly resources: { readonly [name: string]: string }
      }
      writeFileSync(path.join(folder, 'resources', 'status', `${resources['status']}.json`), '{}')
    },
  ],
  'a redaction cannot be read': [
    /is not a redaction/,
    (folder) => {
      const redaction = `resources/status/${'A'.repeat(43)}.redacted.json`
      writeFileSync(path.join(folder, redaction), '{}')
    },
  ],
}

for (const [reloadSeconds, how] of [
  ['1', 'at the next look'],
  ['0', 'on SIGHUP'],
] as const) {
  test(`a damaged folder is noticed ${how}, served from memory, and over once restored`, async (t) => {
    const { folder, releasesDir } = makeDeployment(t)
    writeReleases(releasesDir, 3)
    const service = startService(t, folder, {
      SVC_ADMIN_PORT: '0',
      SVC_RELEASE_POLL_SECONDS: reloadSeconds,
    })
    const { origin } = await service.serving()
    const { port } = await service.line('Health and metrics')
    const admin = `http://127.0.0.1:${String(port)}`
    const readiness = async () => {
      const response = await fetch(`${admin}/readyz`)
      const { release } = (await response.json()) as {
        release: { damage?: string; refused?: unknown }
      }
      assert.equal(release.refused, undefined, 'there is no new version')
      return { status: response.status, damage: release.damage }
    }
    if (reloadSeconds !== '0') await new Promise((resolve) => setTimeout(resolve, 1500))
    for (const [what, [reason, change]] of Object.entries(DAMAGES)) {
      const copy = `${releasesDir}-copy`
      writeReleases(copy, 3)
      assert.deepEqual(await readiness(), { status: 200, damage: undefined }, what)
      const before = service.lines().length
      change(releasesDir)
      if (reloadSeconds === '0') service.signal('SIGHUP')
      // A look in the middle of a change may find another reason first.
      const damage = await eventually(`readiness names ${String(reason)}: ${what}`, async () => {
        const found = await readiness()
        assert.equal(found.status, 200)
        return reason.test(found.damage ?? '') ? found.damage : undefined
      })
      await eventually(`the log has "${damage}"`, () =>
        service
          .lines()
          .slice(before)
          .find((line) => line.msg.includes('folder is damaged') && line['reason'] === damage),
      )
      const metrics = await (await fetch(`${admin}/metrics`)).text()
      assert.match(metrics, /^svc_release_damaged 1$/m)
      assert.equal((await fetch(`${origin}/api/v1/status`)).status, 200)
      rmSync(releasesDir, { recursive: true })
      renameSync(copy, releasesDir)
      service.signal('SIGHUP')
      await eventually(`over once restored: ${what}`, async () =>
        (await readiness()).damage === undefined ? true : undefined,
      )
    }
  })
}
