import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { STATUSPAGE_ID } from '@public-api/contract/snapshots/statuspage'
import { importStatuspage } from '../../../src/cli/import/import-statuspage.ts'
import { STATUSPAGE_PATHS } from '../../../src/pages/files/statuspage.ts'
import { compileContent } from '../../../src/publishing/compile/compile-content.ts'
import { makeContent } from '../../publishing/content-fixture.ts'
import { releasesOf } from '../../support/made-content.ts'
import { succeeded, svc } from '../../support/run-svc.ts'
import { runApp } from '../../support/running-app.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { TROUBLED_STATUS } from '../../support/troubled-status.ts'

type Status = SnapshotData<'status'>

const [openIncident, pastIncident] = TROUBLED_STATUS.incidents
assert.ok(openIncident && pastIncident)

/** More incidents than Statuspage lists, groups that do not stand together, and texts that look like markup. */
const STATUS: Status = {
  ...TROUBLED_STATUS,
  summary: 'Reads of /items/<id> fail & stay so. ระบบล่ม',
  components: TROUBLED_STATUS.components.map((component, index) => ({
    ...component,
    ...(index % 2 === 0 ? { group: 'Reading &amp; writing' } : {}),
  })),
  incidents: [
    { ...openIncident, components: ['feeds', 'read-api', 'pages'] },
    pastIncident,
    ...Array.from({ length: 60 }, (_, nth) => ({
      ...pastIncident,
      id: `past-${nth}`,
      title: 'The same title',
      startedAt: new Date(Date.parse('2026-10-30T00:00:00Z') - nth * 86_400_000)
        .toISOString()
        .replace('.000Z', 'Z'),
    })),
  ],
}

test('the import of our own documents loses only what the format lacks', async (t) => {
  const serve = async (status: Status) =>
    runApp(t, { baseUrl: 'https://api.example.org', releases: releasesOf({ status }) })
  const documentsOf = async ({ fetch }: Awaited<ReturnType<typeof serve>>) =>
    Promise.all(STATUSPAGE_PATHS.map(async (target) => (await fetch(target)).json()))
  const folder = temporaryFolder(t)

  const noted = STATUS.components.map((each) => ({ ...each, note: `A note on ${each.id}.` }))
  const app = await serve({ ...STATUS, components: noted })
  const content = makeContent(t)
  const files = (await documentsOf(app)).map((document, nth) => {
    const file = path.join(folder, `${nth}.json`)
    writeFileSync(file, JSON.stringify(document))
    return file
  })
  const out = succeeded(
    await svc('import', 'statuspage', ...files, '--content', content, '--replace', '--json'),
  )
  const report = JSON.parse(out) as { readonly notes: readonly string[]; mistakes: unknown }
  assert.deepEqual(report.mistakes, [])
  assert.deepEqual(report.notes, [
    'the page of a service like this one: IDs are kept; notes of components, cancelled maintenances and translations are not in its documents',
    'incidents: only the newest 50 are in the document; older ones are not imported',
  ])

  const { resources } = await compileContent(content, Date.parse('2026-11-22T00:00:00Z'))
  const imported = JSON.parse(resources.get('status')?.text ?? '') as Status
  const { maintenances = [] } = STATUS
  const kept = maintenances.filter(({ state }) => state !== 'cancelled')
  const incidents = STATUS.incidents.slice(0, 50)
  assert.deepEqual(imported, { ...STATUS, incidents, maintenances: kept })
  assert.deepEqual(await documentsOf(await serve(imported)), await documentsOf(app))
})

test('of a page that only claims to be like ours, unusable ids are made from the titles', () => {
  const component = { name: 'Read API', status: 'operational', description: 'Reads.' }
  const ids = ['read', 'read', '../read', '__proto__']
  const { status } = importStatuspage(
    [{ page: { id: STATUSPAGE_ID }, components: ids.map((id) => ({ ...component, id })) }],
    0,
  )
  assert.deepEqual(
    (status as unknown as Status).components.map(({ id }) => id),
    ['read', 'read-api', 'read-api-2', 'read-api-3'],
  )
})
