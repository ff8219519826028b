import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Maintenance } from '@public-api/contract/history/published-record'
import { parse } from 'yaml'
import { publishRelease } from '../../src/publishing/releases/publish-release.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { hasProgram } from '../caches/cache-process.ts'
import { makeContent, writeContent } from '../publishing/content-fixture.ts'
import { serve } from '../support/loopback-server.ts'
import { outcomeOf } from '../support/run-program.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PROGRAMS = ['vdirsyncer', 'khal', 'calcurse']
const missing = PROGRAMS.filter((name) => !hasProgram(name))

const planned: Maintenance = {
  id: 'disk-swap',
  title: 'Disk swap',
  state: 'scheduled',
  startsAt: '2026-12-01T02:00:00Z',
  endsAt: '2026-12-01T03:00:00Z',
  components: ['read-api'],
  updates: [{ at: '2026-11-20T00:00:00Z', state: 'scheduled', text: 'Short breaks.' }],
}

// vdirsyncer 0.19.0, khal 0.10.5 and calcurse 4.7.1 of Debian 12.
test(
  'calendars read the last maintenance, and that it was removed: vdirsyncer never finds an empty one',
  { skip: missing.length > 0 && `${missing.join(', ')} not installed`, timeout: 600_000 },
  async (t) => {
    const folder = temporaryFolder(t)
    const contentDir = makeContent(t)
    const store = openReleaseStore(path.join(folder, 'releases'))
    const status = parse(readFileSync(path.join(contentDir, 'status.yaml'), 'utf8')) as object
    let calendar = ''
    const publish = async (maintenances: readonly Maintenance[], nowMs: number) => {
      writeContent(
        contentDir,
        'status.yaml',
        JSON.stringify({ ...status, updatedAt: '2026-11-20T00:00:00Z', maintenances }),
      )
      await publishRelease({ store, contentDir, registryVersion: '1.0.0', note: 'N.', nowMs })
      const app = await runApp(t, { releases: loadReleases(store) })
      calendar = await (await app.fetch('/en/maintenance.ics')).text()
    }
    const origin = await serve(t, (_request, response) => {
      response.setHeader('Content-Type', 'text/calendar; charset=utf-8')
      response.end(calendar)
    })
    const env = { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C.UTF-8', TZ: 'UTC' }
    const run = async (program: string, ...args: readonly string[]) => {
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], cwd: folder })
      const { status: code, out, error } = await outcomeOf(child)
      assert.equal(code, 0, `${program} ${args.join(' ')}: ${out}${error}`)
      return out
    }
    const events = path.join(folder, 'events')
    mkdirSync(events)
    writeFileSync(
      path.join(folder, 'vdirsyncer.conf'),
      `[general]\nstatus_path = "${folder}/status"\n[pair maintenance]\na = "feed"\nb = "disk"\ncollections = null\nconflict_resolution = "a wins"\n[storage feed]\ntype = "http"\nurl = "${origin}/en/maintenance.ics"\n[storage disk]\ntype = "filesystem"\npath = "${events}"\nfileext = ".ics"\n`,
    )
    writeFileSync(
      path.join(folder, 'khal.conf'),
      `[calendars]\n[[maintenance]]\npath = ${events}\n[locale]\nlocal_timezone = UTC\ndefault_timezone = UTC\ntimeformat = %H:%M\ndateformat = %Y-%m-%d\nlongdateformat = %Y-%m-%d\ndatetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n[sqlite]\npath = ${folder}/khal.db\n`,
    )
    const sync = async () => {
      await run('vdirsyncer', '-c', 'vdirsyncer.conf', 'discover')
      await run('vdirsyncer', '-c', 'vdirsyncer.conf', 'sync')
      const names = readdirSync(events).filter((name) => name.endsWith('.ics'))
      return names.map((name) => readFileSync(path.join(events, name), 'utf8')).join('')
    }
    const list = async () =>
      run(
        'khal',
        '-c',
        'khal.conf',
        'list',
        '2026-12-01',
        '2026-12-02',
        '--format',
        '{title} {status}',
      )

    await publish([planned], Date.parse('2026-11-20T01:00:00Z'))
    assert.match(await sync(), /STATUS:CONFIRMED/)
    assert.match(await list(), /Disk swap/)
    writeFileSync(path.join(folder, 'feed.ics'), calendar)
    await run('calcurse', '-D', path.join(folder, 'calcurse'), '-q', '-i', 'feed.ics')
    const shown = ['-D', path.join(folder, 'calcurse'), '-Q', '--from', '12/01/2026', '--days', '1']
    assert.match(await run('calcurse', ...shown), /Disk swap/)

    await publish([], Date.parse('2026-11-20T02:00:00Z'))
    assert.match(await sync(), /STATUS:CANCELLED/)
    assert.match(await list(), /Disk swap.*CANCELLED/)
  },
)
