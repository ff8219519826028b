import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { createFindings } from '@public-api/cli/src/doctor/findings.ts'
import { findMachine } from '../../../src/cli/doctor.ts'
import { backupTimerWarnings, installedUnitWarnings } from '../../../src/cli/installed-units.ts'
import { cleanEnvironment } from '../../support/run-svc.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const PROGRAM = process.cwd()

/** systemd's folder after the guide, and the folder of its enabled timers. */
function makeInstall(t: TestContext) {
  const installed = temporaryFolder(t)
  cpSync(path.join(PROGRAM, 'deploy', 'systemd'), installed, { recursive: true })
  const wants = path.join(installed, 'timers.target.wants')
  mkdirSync(wants)
  writeFileSync(path.join(wants, 'public-api-cosign@ada.timer'), '')
  writeFileSync(path.join(wants, 'public-api-backup.timer'), '')
  writeFileSync(path.join(installed, 'another.service'), '')
  return { installed, wants, warnings: () => installedUnitWarnings(installed, PROGRAM) }
}

test('says nothing of the units of this release, also where they name another folder', (t) => {
  const { installed, warnings } = makeInstall(t)
  assert.deepEqual(warnings(), [])
  const file = path.join(installed, 'public-api.service')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('/opt/public-api', PROGRAM))
  assert.deepEqual(warnings(), [])
  assert.deepEqual(installedUnitWarnings(path.join(installed, 'none'), PROGRAM), [])
})

test('names units of an older release, with what to do', (t) => {
  const { installed, wants, warnings } = makeInstall(t)
  const backup = path.join(installed, 'public-api-backup.service')
  writeFileSync(backup, readFileSync(backup, 'utf8').replace('svc.mjs db backup', 'svc.mjs backup'))
  writeFileSync(path.join(installed, 'public-api-cosign.service'), '')
  writeFileSync(path.join(wants, 'public-api-cosign.timer'), '')
  rmSync(path.join(installed, 'public-api-cosign@.timer'))
  const [changed = '', ...gone] = warnings()
  assert.match(changed, /^public-api-backup\.service in .* copy them again, .*daemon-reload/)
  assert.equal(gone.length, 2)
  assert.match(gone[0] ?? '', /^public-api-cosign\.service in .* does not exist in this release; /)
  assert.match(
    gone[1] ?? '',
    /^public-api-cosign\.timer .*disable --now public-api-cosign\.timer, .*enable public-api-cosign@USER\.timer$/,
  )
})

test('names the backup of SQLite if it is enabled with PostgreSQL', (t) => {
  const { installed, wants } = makeInstall(t)
  assert.deepEqual(backupTimerWarnings('sqlite', installed), [])
  const [warning = '', ...others] = backupTimerWarnings('postgres', installed)
  assert.match(warning, /^public-api-backup\.timer .* disable --now public-api-backup\.timer, /)
  assert.deepEqual(others, [])
  rmSync(path.join(wants, 'public-api-backup.timer'))
  assert.deepEqual(backupTimerWarnings('postgres', installed), [])
})

test('the doctor reports them on the machine of the service', async (t) => {
  const { installed } = makeInstall(t)
  t.mock.property(process, 'env', cleanEnvironment({ SVC_BASE_URL: 'https://api.example.org' }))
  const examine = async () => {
    const { report, list } = createFindings()
    assert.equal(await findMachine(installed)?.check(report), undefined)
    return list()
  }
  assert.deepEqual(await examine(), [])
  writeFileSync(path.join(installed, 'public-api-cosign.timer'), '')
  const found = await examine()
  const ids = found.map(({ id }) => id)
  assert.deepEqual(ids, ['old-units'])
  assert.match(found[0]?.found ?? '', /^public-api-cosign\.timer in /)
  assert.deepEqual(found[0]?.where, [installed])
})
