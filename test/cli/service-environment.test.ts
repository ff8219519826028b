import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { makeContent } from '../publishing/content-fixture.ts'
import { argsOf, failedWith, OPEN_INCIDENT, svcIn } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url))

/** A service with content and its environment file, and `svc` in another folder, which knows only that file. */
function makeService(t: TestContext, more = '') {
  const content = makeContent(t)
  const releases = path.join(temporaryFolder(t), 'releases')
  const file = path.join(temporaryFolder(t), 'environment')
  writeFileSync(
    file,
    `# Settings\nSVC_CONTENT_DIR="${content}"\nSVC_RELEASES_DIR=${releases}\n${more}`,
  )
  const elsewhere = temporaryFolder(t)
  const run = (args: readonly string[], env: { readonly [name: string]: string } = {}) =>
    svcIn(elsewhere, args, { env: { SVC_ENVIRONMENT_FILE: file, ...env } })
  return { content, releases, file, run }
}

test('takes the folders of the service, wherever it is called', async (t) => {
  const { content, releases, run } = makeService(t)
  const published = await run(['publish', '--create', '-m', 'N.', '--no-cards'])
  assert.match(published.out, new RegExp(`^Published VS-0001 in ${releases} `), published.error)
  const opened = await run([
    ...OPEN_INCIDENT,
    ...argsOf('--component read-api=degraded --publish --no-cards'),
  ])
  assert.match(
    opened.out,
    new RegExp(`^Changed ${content}/status\\.yaml [^]*Published VS-0002 `),
    opened.error,
  )
  for (const args of [['check'], ['diff'], ['translations'], ['incident', 'list'], ['versions']]) {
    const { status, error } = await run(args)
    assert.equal(status, 0, `${args.join(' ')}: ${error}`)
  }
})

test('variables of the caller win over the file, and a named file must exist', async (t) => {
  const { run, file } = makeService(t)
  const other = makeContent(t)
  assert.match((await run(['check'], { SVC_CONTENT_DIR: other })).out, new RegExp(`^${other} has`))
  const missing = failedWith(2, await run(['check'], { SVC_ENVIRONMENT_FILE: `${file}.old` }))
  assert.match(missing, /SVC_ENVIRONMENT_FILE names .*environment\.old, which does not exist/)
})

test('checks the settings of the service, and says which folders they name', async (t) => {
  const broken = makeService(t, 'SVC_WORKERS=many\n')
  const error = failedWith(1, await broken.run(['check', '--config']))
  assert.match(error, /^SVC_WORKERS: expected a whole number/m)
})

test('acts on the checkout of a machine with a service only with --checkout', async (t) => {
  const { file } = makeService(t)
  const run = (env: { readonly [name: string]: string }, ...args: readonly string[]) =>
    svcIn(CHECKOUT, args, { env })
  const installed = { SVC_ENVIRONMENT_FILE: file }
  for (const args of [
    ['incident', 'list', '--content', 'content'],
    ['versions', '--releases', './releases/'],
  ]) {
    const { status, out, error } = await run(installed, ...args)
    assert.deepEqual([status, out], [2, ''], args.join(' '))
    assert.match(
      error,
      /belongs to the program itself, and .* configures a service here; .*--checkout/,
    )
    assert.equal((await run(installed, ...args, '--checkout')).status, 0)
  }
  const unnamed = await run({ SVC_RUNTIME: 'production' }, 'incident', 'list')
  assert.match(unnamed.error, /^error: content belongs to the program itself, and SVC_RUNTIME/)
  const secrets = await run({ SVC_RUNTIME: 'production' }, 'api-keys', 'list')
  assert.match(secrets.error, /secrets belongs to the program itself/)
  assert.equal((await run({}, 'incident', 'list')).status, 0)
})

test('an environment file that cannot be read, or not as systemd reads it, ends every command', async (t) => {
  const folder = temporaryFolder(t)
  const misread = makeService(t, 'export SVC_WORKERS=2\n')
  for (const args of [
    ['incident', 'list'],
    ['waitlist', 'count'],
    ['check', '--config'],
  ]) {
    const unreadable = failedWith(
      2,
      await svcIn(CHECKOUT, args, { env: { SVC_ENVIRONMENT_FILE: folder } }),
    )
    assert.match(unreadable, /^error: \S+ cannot be read \(EISDIR\), .*chmod 640/)
    const error = failedWith(2, await misread.run(args))
    assert.match(error, /^error: \S+environment, line 4 \(SVC_WORKERS\): expected NAME=value/)
  }
  assert.equal((await misread.run(['incident', '--help'])).status, 0)
})

test('a value in quotation marks ends the commands that read it', async (t) => {
  const { content, run } = makeService(t)
  for (const [env, args] of [
    [{ SVC_CONTENT_DIR: `"${content}"` }, ['check']],
    [{ SVC_DATA_DIR: `'${content}'` }, ['waitlist', 'count']],
    [{ SVC_ADDRESS_HASH_SECRET: `"${'0'.repeat(64)}"` }, ['waitlist', 'count']],
    [{ SVC_ADDRESS_HASH_SECRET: `${'0'.repeat(64)}"` }, ['check', '--config']],
  ] as const) {
    const { status, error } = await run(args, env)
    assert.notEqual(status, 0)
    const [name = ''] = Object.keys(env)
    assert.match(error, new RegExp(`${name}: expected a value that neither begins nor ends`))
    assert.doesNotMatch(error, /0{64}/)
  }
})
