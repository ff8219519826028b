import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { hasProgram } from '../caches/cache-process.ts'
import { editContent, makeContent } from '../publishing/content-fixture.ts'
import { missingIn, readCopy } from '../support/copy-consistency.ts'
import { readHeadersFile } from '../support/headers-file.ts'
import { outcomeOf } from '../support/run-program.ts'
import { type Outcome, succeeded, svc, svcIn } from '../support/run-svc.ts'
import { startS3 } from '../support/s3-stand-in.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { useFileScope } from '../support/test-scope.ts'

const scope = useFileScope()
const MARK = 'Ada Example'
/** What a run keeps for itself. */
const OWN = /^\.site\./

/** A copy with an incident and a component, and the copy after both are gone, and the incident redacted. */
async function prepare() {
  const folder = temporaryFolder(scope)
  const content = makeContent(scope)
  const releases = ['--releases', path.join(folder, 'releases')]
  const run = async (...args: readonly string[]) =>
    succeeded(await svc(...args, '--content', content, '--no-cards', ...releases))
  const copyTo = async (name: string) => {
    const env = { SVC_BASE_URL: 'https://api.example.org' }
    succeeded(await svcIn(folder, ['site', 'new'], { env }))
    writeFileSync(path.join(folder, 'new', 'now.json'), `{"of":"${name}"}`)
    if (name !== 'new')
      cpSync(path.join(folder, 'new'), path.join(folder, name), {
        recursive: true,
        preserveTimestamps: true,
      })
    return path.join(folder, name)
  }
  const calm = readFileSync(path.join(content, 'status.yaml'), 'utf8')
  await run('publish', '--auto-note', '--create')
  await run(
    'incident',
    'open',
    '--title',
    `Ask ${MARK}`,
    '--impact',
    'none',
    '--id',
    'asked',
    '--component',
    'read-api=operational',
    '--text',
    `${MARK} answers.`,
    '--publish',
  )
  const old = await copyTo('old')
  writeFileSync(path.join(content, 'status.yaml'), calm)
  editContent(content, 'roadmap', 'title: Writing', 'title: Reading')
  await run('publish', '--auto-note')
  const redact = ['redact', 'VS-0002', 'status', '--reason', 'A name', '--yes', ...releases]
  succeeded(await svc(...redact))
  const now = await copyTo('new')
  const texts = (copy: string) => new Map([...readCopy(copy)].filter(([file]) => !OWN.test(file)))
  const [before, after] = [texts(old), texts(now)]
  // Two runs within a second.
  for (const [copy, files, changed] of [[old, before, 0.25] as const, [now, after, 0.75] as const])
    for (const [file, text] of files) {
      const time = 1_800_000_000 + (before.get(file) === text ? 0.25 : changed)
      utimesSync(path.join(copy, file), time, time)
    }
  return { old, now, before, after }
}
let prepared: ReturnType<typeof prepare> | undefined

const hasMark = (files: ReadonlyMap<string, string>) =>
  [...files].flatMap(([file, text]) => (text.includes(MARK) ? [file] : []))

async function runScript(name: string, args: readonly string[], env = {}): Promise<Outcome> {
  const child = spawn(path.resolve('deploy/copy', name), args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return outcomeOf(child)
}

/** Throws unless a host was complete at each moment, from the old copy to the new one. */
function checkMoments(
  moments: readonly (readonly [change: string, files: ReadonlyMap<string, string>])[],
  after: ReadonlyMap<string, string>,
): void {
  assert.ok(moments.length > 10)
  const gone = moments.findIndex(([change]) => change.startsWith('delete '))
  for (const [index, [change, files]] of moments.entries()) {
    // Nothing that stays names what goes, so the order among these is of no matter.
    const reached = index < gone ? files : new Map([...files].filter(([file]) => after.has(file)))
    assert.deepEqual(missingIn(reached), [], change)
  }
  const proof = moments.findIndex(([, files]) => files.get('now.json') === after.get('now.json'))
  const complete = moments.findIndex(
    ([, files]) =>
      [...after].every(([file, text]) => file === 'now.json' || files.get(file) === text) &&
      [...files.keys()].every((file) => after.has(file)),
  )
  assert.ok(complete >= 0 && complete < proof, `complete at ${complete}, proof at ${proof}`)
  const last = moments.findLastIndex(([change]) => /^put .*\.(?:html|md|atom|xml)$/.test(change))
  assert.ok(gone > last, 'nothing is removed before the last page and list')
}

test(
  'rsync: the host is complete at each moment, and keeps nothing that went',
  { skip: !hasProgram('rsync') && 'rsync is not installed', timeout: 1_200_000 },
  async (t) => {
    const { old, now, before, after } = await (prepared ??= prepare())
    const host = path.join(temporaryFolder(t), 'host')
    const send = (copy: string) => runScript('rsync.sh', [copy, host, '--out-format=%o %n'])
    succeeded(await send(old))
    assert.deepEqual(readCopy(host), before)
    assert.ok(hasMark(before).length > 5)
    const files = new Map(before)
    const moments = succeeded(await send(now))
      .split('\n')
      .flatMap((line) => {
        const [, operation, file = ''] = /^(send|recv|del\.) (.*[^/])$/.exec(line) ?? []
        if (operation === undefined) return []
        if (operation === 'del.') files.delete(file)
        else files.set(file, after.get(file) ?? '')
        return [[`${operation === 'del.' ? 'delete' : 'put'} ${file}`, new Map(files)] as const]
      })
    assert.deepEqual(readCopy(host), after)
    checkMoments(moments, after)
    assert.deepEqual(hasMark(readCopy(host)), [])
    assert.doesNotMatch(succeeded(await send(now)), /[^/\n]$/m, 'nothing changed')
    assert.equal((await send(temporaryFolder(t))).status, 2)
    assert.deepEqual(readCopy(host), after)
  },
)

test(
  'rclone to S3: types, lifetimes, each moment of an upload, and one that is interrupted',
  { skip: !hasProgram('rclone') && 'rclone is not installed', timeout: 1_200_000 },
  async (t) => {
    const { old, now, before, after } = await (prepared ??= prepare())
    let allowed = Infinity
    const moments: (readonly [string, ReadonlyMap<string, string>])[] = []
    const s3 = await startS3(
      t,
      (change) => moments.push([change, read()]),
      () => (allowed -= 1) >= 0,
    )
    const read = () =>
      new Map([...s3.objects].map(([name, { bytes }]) => [name, bytes.toString('latin1')] as const))
    const sorted = () => new Map([...read()].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    const send = (copy: string) => runScript('s3.sh', [copy, s3.target], s3.env)
    succeeded(await send(old))
    assert.deepEqual(sorted(), before)
    const headersOf = readHeadersFile(before.get('_headers') ?? '')
    for (const [name, { type, lifetime }] of s3.objects) {
      const expected = headersOf(`/${name}`)
      const [wanted, forever] = [expected.get('Content-Type'), expected.get('Cache-Control')]
      if (wanted !== undefined) assert.equal(type, wanted, name)
      if (forever !== undefined) assert.equal(lifetime, forever, name)
      assert.ok(lifetime !== undefined && type !== undefined, name)
    }
    const first = new Map(s3.objects)
    moments.length = 0
    succeeded(await send(now))
    assert.deepEqual(sorted(), after)
    checkMoments(moments, after)
    assert.deepEqual(hasMark(read()), [])
    const { length } = moments
    succeeded(await send(now))
    assert.equal(moments.length, length, 'nothing changed')

    for (const share of [0.2, 0.9]) {
      s3.objects.clear()
      for (const [name, object] of first) s3.objects.set(name, object)
      allowed = Math.floor(length * share)
      assert.notEqual((await send(now)).status, 0)
      assert.deepEqual(missingIn(read()), [])
      assert.notEqual(read().get('now.json'), after.get('now.json'))
      allowed = Infinity
      succeeded(await send(now))
      assert.deepEqual(sorted(), after)
    }
  },
)
