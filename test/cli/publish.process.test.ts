import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { waitForVersion } from '../../src/cli/wait-for-version.ts'
import { editContent, makeContent } from '../publishing/content-fixture.ts'
import { serve } from '../support/loopback-server.ts'
import { runIn, SVC } from '../support/run-program.ts'
import { argsOf, failedWith, succeeded, svc, svcIn } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Arguments that publish a content folder without cards. */
const publishing = (content: string, releases: string): readonly string[] => {
  const folders = ['--content', content, '--releases', releases]
  return ['publish', '--no-cards', '--note', 'x', ...folders]
}

test('help: of the program and of the command, on standard output', async () => {
  for (const args of [[], ['--help'], ['-h'], ['help']]) {
    const { status, out, error } = await svc(...args)
    assert.equal(status, 0)
    assert.equal(error, '')
    assert.match(out, /^Usage: svc COMMAND \[options\]\n/)
    assert.match(out, /^ {2}publish {2,}check the content folder/m)
  }
  for (const [words, usage] of [
    [['help', 'incident'], 'incident ACTION'],
    [['help', 'incident', 'open'], 'incident open --title TEXT'],
  ] as const) {
    const out = succeeded(await svc(...words))
    assert.ok(out.startsWith(`Usage: svc ${usage}`), out)
  }
  for (const [words, expected] of [
    [['help', 'publsh'], "unknown command 'publsh'; did you mean publish?"],
    [['publsh', '--help'], "unknown command 'publsh'; did you mean publish?"],
    [
      ['help', 'incident', 'opn'],
      'expected an action: open, update, resolve, reopen, templates, list',
    ],
    [
      ['incident', 'opn', '-h'],
      'expected an action: open, update, resolve, reopen, templates, list',
    ],
    [['help', 'log'], 'svc log is called svc versions now'],
  ] as const) {
    const error = failedWith(2, await svc(...words))
    assert.ok(error.startsWith(`error: ${expected}`), error)
  }
  const out = succeeded(await svc('publish', '--help'))
  for (const option of ['--content', '--releases', '--note', '--json', '--help']) {
    assert.ok(out.includes(option), option)
  }
  assert.ok(out.split('\n').every((line) => line.length <= 80))
})

test('help does not load what publishing needs', (t) => {
  // Refuses every package, so that help is known to start without them.
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(name, context, next) {
      if (/^(ajv|yaml|@secretlint)/.test(name)) throw new Error('loads ' + name)
      return next(name, context)
    } })`
  const run = (...args: readonly string[]): number | null =>
    runIn(temporaryFolder(t), [
      '--import',
      `data:text/javascript,${encodeURIComponent(hook)}`,
      SVC,
      ...args,
    ]).status
  assert.equal(run('--help'), 0)
  assert.equal(run('publish', '--help'), 0)
  assert.equal(run('publish', '--note', 'x'), 1)
})

test('the version is that of the package', async (t) => {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  assert.ok(typeof manifest === 'object' && manifest !== null && 'version' in manifest)
  assert.deepEqual(await svcIn(temporaryFolder(t), ['--version']), {
    status: 0,
    out: `${String(manifest.version)}\n`,
    error: '',
  })
})

test('never repeats a possible API key', async () => {
  const secret = 'S'.repeat(42)
  const key = `svk_0123456789abcdef_${secret}_`
  const cut = key.slice(0, 25)
  for (const args of [
    [key],
    [cut],
    [cut.toUpperCase()],
    [`--${cut}`],
    [`${secret}_`],
    ['publish', key],
    ['publish', `--${cut}`],
    ['publish', '--json', cut],
    ['waitlist', key],
    ['waitlist', cut],
    ['waitlist', 'count', cut],
    ['waitlist', 'count', secret.slice(0, 20)],
    ['publish', `--${secret}`],
    ['waitlist', 'join', '--for', cut, key],
  ]) {
    const { status, out, error } = await svc(...args)
    assert.equal(status, 2, error)
    assert.equal(out, '')
    assert.match(error, /^error: [^\n]+\n$/)
    assert.ok(!/SSSS|0123456789abcdef/i.test(error), error)
  }
})

test('wrong usage exits with 2 and one line that helps', async () => {
  const cases: readonly (readonly [args: readonly string[], line: string])[] = [
    [
      ['publsh'],
      "error: unknown command 'publsh'; did you mean publish? Run 'svc --help' for usage.\n",
    ],
    [['xyzzy'], "error: unknown command 'xyzzy'. Run 'svc --help' for usage.\n"],
    [['constructor'], "error: unknown command 'constructor'. Run 'svc --help' for usage.\n"],
    [['--verbose'], "error: unknown option '--verbose'. Run 'svc --help' for usage.\n"],
    [
      ['publish', '--relases'],
      "error: unknown option '--relases'; did you mean --releases? Run 'svc publish --help' for usage.\n",
    ],
    [
      ['publish'],
      "error: expected --note TEXT: one line for readers of the history. Run 'svc publish --help' for usage.\n",
    ],
    [
      ['publish', '--note', ' '],
      "error: expected --note TEXT: one line for readers of the history. Run 'svc publish --help' for usage.\n",
    ],
    [
      ['publish', '--note', 'x', '--content', 'elsewhere'],
      "error: expected --releases DIR (or SVC_RELEASES_DIR) beside the content folder. Run 'svc publish --help' for usage.\n",
    ],
  ]
  for (const [args, line] of cases) {
    assert.deepEqual(await svc(...args), { status: 2, out: '', error: line })
  }
  for (const args of [
    ['publish', 'extra'],
    ['publish', '--note'],
    ['publish', '--json=yes'],
  ]) {
    const { status, out, error } = await svc(...args)
    assert.equal(status, 2)
    assert.equal(out, '')
    assert.match(error, /^error: [^\n]+\n$/)
  }
})

test('publishes twice in the given folders', async (t) => {
  const content = makeContent(t)
  const folder = path.dirname(content)
  const releases = temporaryFolder(t)
  const folders = ['--content', path.relative(folder, content), '--releases', releases]

  const first = await svcIn(folder, [
    'publish',
    ...folders,
    '--no-cards',
    '--note',
    'The first one.',
  ])
  assert.equal(first.status, 0)
  assert.equal(first.error, '')
  assert.match(first.out, new RegExp(`^Published VS-0001 in ${releases} \\([0-9a-f]{64}\\)\\.\n`))

  const again = await svcIn(folder, ['publish', ...folders, '--no-cards', '--note', 'Again.'])
  assert.deepEqual(again, {
    status: 0,
    out: `Nothing to publish: VS-0001 in ${releases} has the same content.\nThe content is in ${path.relative(folder, content)}.\n`,
    error: '',
  })
})

test('the default folders are content and releases', async (t) => {
  const error = failedWith(
    1,
    await svcIn(temporaryFolder(t), ['publish', '--note', 'x', '--create']),
  )
  assert.match(
    error,
    /^error: the content has a mistake; nothing was published\ncontent:1:1: found an unreadable folder/,
  )
})

test('takes the releases folder from the same variable as the server', async (t) => {
  const content = makeContent(t)
  const releases = temporaryFolder(t)
  const out = succeeded(
    await svcIn(
      temporaryFolder(t),
      ['publish', '--no-cards', '--note', 'x', '--content', content],
      {
        env: { SVC_RELEASES_DIR: releases },
      },
    ),
  )
  assert.match(out, /^Published VS-0001 /)
  assert.ok(existsSync(path.join(releases, 'versions', 'VS-0001.json')))
})

test('mistakes: prints a summary line, then each with its place, and exits with 1', async (t) => {
  const content = makeContent(t)
  const releases = temporaryFolder(t)
  editContent(content, 'roadmap', 'horizon: later', 'horizon: latter')
  const { status, out, error } = await svcIn(path.dirname(content), [
    ...argsOf('publish --note x --content'),
    path.basename(content),
    '--releases',
    releases,
  ])
  assert.equal(status, 1)
  assert.equal(out, '')
  assert.deepEqual(error.split('\n'), [
    'error: the content has a mistake; nothing was published',
    `${path.basename(content)}/roadmap.yaml:11:14: items[1].horizon: found "latter", expected one of now, next, later; did you mean later?`,
    '',
  ])
})

test('--json prints one object for a script, in success and failure', async (t) => {
  const content = makeContent(t)
  const releases = temporaryFolder(t)
  const run = async () => {
    const { status, out } = await svc(...publishing(content, releases), '--json')
    assert.equal(out.split('\n').length, 2)
    const json: Record<string, unknown> = JSON.parse(out)
    return { status, json }
  }
  const published = await run()
  assert.equal(published.status, 0)
  assert.equal(published.json['ok'], true)
  assert.equal(published.json['outcome'], 'published')
  assert.equal((published.json['entry'] as { snapshotId: string }).snapshotId, 'VS-0001')

  editContent(content, 'roadmap', 'horizon: later', 'horizon: latter')
  const failed = await run()
  assert.equal(failed.status, 1)
  assert.equal(failed.json['ok'], false)
  assert.equal(failed.json['code'], 'CONTENT')
  const [mistake] = failed.json['mistakes'] as readonly { line: number; field: string }[]
  assert.equal(mistake?.line, 11)
  assert.equal(mistake?.field, 'items[1].horizon')
})

test('reports a damaged history in one line and writes nothing', async (t) => {
  const content = makeContent(t)
  const releases = temporaryFolder(t)
  const args = [...publishing(content, releases)]
  assert.equal((await svc(...args)).status, 0)
  writeFileSync(path.join(releases, 'versions', 'VS-0001.json'), '{}')
  const error = failedWith(1, await svc(...args))
  assert.equal(
    error,
    'error: the published history is damaged: VS-0001: snapshotId is missing; nothing was published\n',
  )
})

test('publishing repairs a damaged file of the newest version', async (t) => {
  const content = makeContent(t)
  const releases = temporaryFolder(t)
  const publish = (...args: readonly string[]) => svc(...publishing(content, releases), ...args)
  assert.equal((await publish()).status, 0)
  const folder = path.join(releases, 'resources', 'roadmap')
  const [name = ''] = readdirSync(folder)
  const file = path.join(folder, name)
  const intact = readFileSync(file, 'utf8')
  writeFileSync(file, `${intact} `)

  const place = `The content is in ${content}.\n`
  const nothing = `Nothing to publish: VS-0001 in ${releases} has the same content.\n`
  assert.deepEqual(await publish(), {
    status: 0,
    out: `${nothing}Rewrote missing or damaged files: roadmap\n${place}`,
    error: '',
  })
  assert.equal(readFileSync(file, 'utf8'), intact)

  writeFileSync(file, '')
  const repaired: unknown = JSON.parse((await publish('--json')).out)
  assert.partialDeepStrictEqual(repaired, { ok: true, outcome: 'unchanged', damaged: ['roadmap'] })
  assert.equal(readFileSync(file, 'utf8'), intact)
  assert.deepEqual(await publish(), { status: 0, out: nothing + place, error: '' })
})

test('several processes publish concurrently: the history stays intact and each reports what it did', async (t) => {
  const releases = temporaryFolder(t)
  const outcomes = await Promise.all(
    [1, 2, 3, 4].map((number) => {
      const content = makeContent(t)
      editContent(content, 'roadmap', 'title: Writing', `title: Writing ${number}`)
      return new Promise<number | null>((resolve) => {
        spawn(process.execPath, [SVC, ...publishing(content, releases)], {
          stdio: 'ignore',
        }).on('close', resolve)
      })
    }),
  )
  const published = outcomes.filter((status) => status === 0).length
  assert.ok(published >= 1)
  assert.ok(outcomes.every((status) => status === 0 || status === 1))
  assert.equal(readdirSync(path.join(releases, 'versions')).length, published)
})

test('a mistyped releases folder is not created', async (t) => {
  const folder = temporaryFolder(t)
  const content = makeContent(t)
  const args = [
    ...argsOf('publish --no-cards --note x --content'),
    content,
    '--releases',
    'relaeses',
  ]
  const error = failedWith(2, await svcIn(folder, args))
  assert.match(
    error,
    /the releases folder relaeses does not exist; expected an existing one, or --create/,
  )
  assert.ok(!existsSync(path.join(folder, 'relaeses')))
  assert.equal((await svcIn(folder, [...args, '--create'])).status, 0)
})

test('waits until the service serves the version', async (t) => {
  const content = makeContent(t)
  const releases = temporaryFolder(t)
  let requests = 0
  const url = await serve(t, (_, response) => {
    requests += 1
    const file = path.join(releases, 'versions', 'VS-0001.json')
    // The first request is answered before the release is loaded.
    if (requests === 1) response.writeHead(503).end('{}')
    else response.end(`{"data":${readFileSync(file, 'utf8')}}`)
  })
  const args = [...publishing(content, releases)]
  const out = succeeded(await svcIn(temporaryFolder(t), [...args, '--wait', url]))
  assert.match(out, new RegExp(`${url} serves VS-0001\\.\n`))
  assert.equal(requests, 2)
  assert.equal((await svcIn(temporaryFolder(t), [...args, '--wait', 'api.example.org'])).status, 2)
})

test('says why a version is not served in time', async () => {
  const entry = { snapshotId: 'VS-0002', hash: 'a' } as VersionEntry
  await assert.rejects(
    waitForVersion(new URL('http://127.0.0.1:1'), entry, 0),
    /^(?:CommandFailure|Error): VS-0002 is published, and http:\/\/127\.0\.0\.1:1 does not serve it after 0 s: it could not be read \(.+\); is SVC_RELEASES_DIR/,
  )
})
