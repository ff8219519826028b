import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { CommandEntry } from '@public-api/cli-kit/command'
import { loadCommand } from '@public-api/cli-kit/run-program'
import { COMMANDS } from '../../src/cli/program.ts'

/**
 * How each code block of the documents is tested, by document and heading, in their order. `run`: a test runs the block
 * as it is written. `compared`: a test runs the same steps, or compares the block with what is true. `commands`: this
 * file checks its `svc` commands and their options. `example`: not tested, and why.
 */
const BLOCKS: { readonly [file: string]: { readonly [heading: string]: readonly string[] } } = {
  'ARCHITECTURE.md': {
    'The folders': [
      'example: a map for readers; test/docs/links.test.ts and test/layers.process.test.ts check folders and arrows',
    ],
    'Module dependencies': [
      'example: a map for readers; test/docs/links.test.ts and test/layers.process.test.ts check folders and arrows',
    ],
    'Files on disk': [
      'example: a map for readers; test/docs/links.test.ts and test/layers.process.test.ts check folders and arrows',
    ],
  },
  'README.md': {
    'Public API server': ['compared test/readme.process.test.ts'],
    'Run it': ['compared test/process/first-start.process.test.ts'],
    'Verify a response yourself': ['run test/readme.process.test.ts', 'commands'],
    'Join the waitlist': ['run test/readme.process.test.ts', 'commands'],
    Publish: ['commands'],
  },
  'SECURITY.md': {
    'The Node binary': [
      'example: compares with nodejs.org, which the tests do not reach',
      'compared test/production-install.long.test.ts',
    ],
  },
  'docs/benchmarks.md': {
    Benchmarks: ['example: a benchmark takes minutes and needs an idle machine'],
    'Pages in a browser': ['example: starts the demonstration, as test/browser does'],
  },
  'docs/content.md': {
    '`status.yaml`': ['compared test/generated.process.test.ts'],
    '`architecture.yaml`': ['compared test/generated.process.test.ts'],
    '`development-queue.yaml`': ['compared test/generated.process.test.ts'],
    '`roadmap.yaml`': ['compared test/generated.process.test.ts'],
    '`changelog.yaml`': ['compared test/generated.process.test.ts'],
    '`wallet.yaml`': ['compared test/generated.process.test.ts'],
    '`wallet/architecture.yaml`': ['compared test/generated.process.test.ts'],
    '`wallet/security.yaml`': ['compared test/generated.process.test.ts'],
    '`wallet/evidence.yaml`': ['compared test/generated.process.test.ts'],
    '`wallet/capabilities.yaml`': ['compared test/generated.process.test.ts'],
    '`wallet/integration.yaml`': ['compared test/generated.process.test.ts'],
    '`wallet/development.yaml`': ['compared test/generated.process.test.ts'],
    '`organization.yaml`': ['compared test/generated.process.test.ts'],
    '`early-access.yaml`': ['compared test/generated.process.test.ts'],
    'A logo with styles': ['example: calls svgo, which is not installed here'],
    '`itemsFrom` in `development-queue.yaml` and `roadmap.yaml`': [
      'compared test/generated.process.test.ts',
    ],
    Translations: ['compared test/generated.process.test.ts'],
    '`publishing.yaml`': ['compared test/generated.process.test.ts'],
  },
  'docs/copy.md': {
    'A copy that outlives the service': ['commands'],
    'Publish it': [
      'compared test/deploy/copy-outage.long.test.ts',
      'example: a drop-in or a call for a host of the operator',
      'example: a drop-in or a call for a host of the operator',
    ],
  },
  'docs/operating.md': {
    'Your own service in an hour': [
      'run test/docs/guide.long.test.ts',
      'run test/docs/guide.long.test.ts',
      'run test/docs/guide.long.test.ts',
      'run test/docs/guide.long.test.ts',
      'run test/docs/guide.long.test.ts',
      'run test/docs/guide.long.test.ts',
      'compared test/deploy/reverse-proxies.process.test.ts',
      'compared test/cli/package.process.test.ts',
      'run test/docs/guide.long.test.ts',
    ],
    Start: ['compared test/production-install.long.test.ts'],
    'In a container': [
      'compared test/deploy/build-image.long.test.ts',
      'compared test/deploy/build-image.long.test.ts',
    ],
    Publishing: ['commands'],
    'An incident at night': [
      'run test/docs/guide.long.test.ts',
      'run test/docs/guide.long.test.ts',
    ],
    'Planned maintenance': ['run test/docs/guide.long.test.ts'],
    Count: ['commands'],
    'Export, on the machine with the identity': ['commands'],
    "A person's requests: access and erasure": ['commands'],
    Retention: ['commands'],
    'Rotate the recipient': ['commands'],
    List: ['commands'],
    Revoke: ['commands'],
    Purge: ['commands'],
    Issue: ['commands'],
    'Rotate the hash secret': [
      'example: writes the secrets of the operator; test/process/keys-rotation.process.test.ts reads such files',
    ],
    'What to watch': ['example: a part of prometheus.yml; this test compares its port'],
    Backups: ['commands'],
    'Seen from outside': ['commands'],
  },
  'docs/postgresql.md': {
    'Set up': [
      'run test/docs/postgresql.long.test.ts',
      'run test/docs/postgresql.long.test.ts',
      'run test/docs/postgresql.long.test.ts',
    ],
    PgBouncer: ['run test/docs/postgresql.long.test.ts'],
    'Moving from SQLite': ['run test/docs/postgresql.long.test.ts'],
    Monitoring: ['run test/docs/postgresql.long.test.ts'],
    'A copy while the service runs': [
      'run test/docs/postgresql.long.test.ts',
      'run test/docs/postgresql.long.test.ts',
    ],
    'Any point in time': [
      'run test/docs/postgresql.long.test.ts',
      'run test/docs/postgresql.long.test.ts',
      'run test/docs/postgresql.long.test.ts',
    ],
  },
  'docs/publishing-from-git.md': {
    'Publishing from git': ['example: a picture of the steps'],
    'Set it up': ['commands', 'compared test/deploy/git-kit.long.test.ts'],
  },
  'docs/storage-schema.md': {
    'By hand': [
      'run test/storage/storage-schema.process.test.ts',
      'run test/storage/storage-schema.process.test.ts',
      'run test/storage/storage-schema.process.test.ts',
      'run test/storage/storage-schema.process.test.ts',
      'run test/storage/storage-schema.process.test.ts',
      'run test/storage/storage-schema.process.test.ts',
    ],
    'Backup and restore': ['run test/storage/storage-schema.process.test.ts'],
    Erasure: ['run test/storage/storage-schema.process.test.ts'],
  },
  'docs/verifying.md': {
    'What is signed': ['run test/docs/verifying.long.test.ts'],
    'What to pin': ['run test/docs/verifying.long.test.ts'],
    'With curl and OpenSSL': [
      'run test/docs/verifying.long.test.ts',
      'run test/docs/verifying.long.test.ts',
    ],
    'When the response is 304': ['run test/docs/verifying.long.test.ts'],
    'The history': ['run test/docs/verifying.long.test.ts'],
    'With our code': ['run test/docs/verifying.long.test.ts'],
    'With a standard library (RFC 9421)': ['run test/docs/verifying.long.test.ts'],
    'In a browser, without a library': ['compared test/browser/native-integrity.process.test.ts'],
    'An offline proof': ['commands'],
    'The log in an audit': ['commands'],
  },
  'docs/waitlist-to-invitation.md': {
    '1. Get a copy of the list': ['commands'],
    '2. Export a batch': ['commands', 'commands'],
    '4. Erase afterwards': ['commands', 'example: erases the files of the operator'],
  },
  'docs/witnesses.md': {
    'Start alone': ['run test/docs/guide.long.test.ts', 'example: a line of a policy'],
    'Ask two partners': [
      'compared test/cli/tlog-litewitness.long.test.ts',
      'compared test/client/log-notes.test.ts',
      'compared test/deploy/systemd.process.test.ts',
    ],
    'Two operators witness each other': [
      'example: builds litewitness, whose sources the tests do not reach',
    ],
    'For readers: get a policy': ['commands'],
  },
  'packages/cli/README.md': {
    '@public-api/cli': [
      'compared test/cli/package.process.test.ts',
      'compared test/cli/package.process.test.ts',
    ],
    'Pin the key': ['commands'],
    'Read a copy while the service is away': ['commands'],
    'Audit every month': ['commands'],
    'Watch for new versions': ['commands'],
    Evidence: ['commands'],
    'Audit the log': ['commands'],
  },
  'packages/client/README.md': {
    Read: [
      'run test/client/package.long.test.ts',
      'run test/client/package.long.test.ts',
      'run test/client/package.long.test.ts',
    ],
    'Register, and manage API keys': ['example: a part of a program'],
    'Verify responses of your own requests': ['example: a part of a program'],
    'Audit the history': [
      'example: a part of a program',
      'example: a part of a program',
      'example: a part of a program',
      'example: a part of a program',
    ],
    'While the service is away': ['example: a part of a program'],
    'Verify the transparency log': ['example: a part of a program'],
    Vectors: ['example: a part of a program'],
  },
  'packages/mcp/README.md': {
    '@public-api/mcp': [
      'compared test/mcp/mcp-server.process.test.ts',
      'compared test/mcp/mcp-server.process.test.ts',
      'compared test/mcp/mcp-server.process.test.ts',
      'compared test/mcp/mcp-server.process.test.ts',
    ],
  },
  'clients/go/README.md': {
    publicapi: ['run test/clients/go.long.test.ts'],
    Read: ['run test/clients/go.long.test.ts', 'run test/clients/go.long.test.ts'],
    'Watch for new versions': ['example: a part of a program'],
    'Verify the responses of an http.Client': ['example: a part of a program'],
  },
  'clients/python/README.md': {
    Read: ['example: installs from a package index', 'run test/clients/python.process.test.ts'],
    'While the service is away': ['example: a part of a program'],
    'Watch for new versions': ['example: a part of a program'],
    Develop: ['run test/clients/python.process.test.ts'],
  },
  'test/vectors/README.md': {
    'The check': ['compared test/vectors.process.test.ts', 'compared test/vectors.process.test.ts'],
  },
}

interface Block {
  readonly heading: string
  readonly text: string
}

function blocksOf(file: string): readonly Block[] {
  const found: Block[] = []
  let heading = ''
  let lines: string[] | undefined
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const isFence = /^\s*```/.test(line)
    if (isFence && lines !== undefined) {
      found.push({ heading, text: lines.join('\n') })
      lines = undefined
    } else if (isFence) lines = []
    else if (lines !== undefined) lines.push(line)
    else heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading
  }
  return found
}

const FILES = globSync([
  '{ARCHITECTURE,CONTRIBUTING,README,SECURITY}.md',
  '{docs,examples,test/vectors}/**/*.md',
  '{packages,clients}/*/README.md',
])

test('the table names how each code block of the documents is tested', () => {
  const documented = Object.fromEntries(
    FILES.flatMap((file) => {
      const counts: Record<string, number> = {}
      for (const { heading } of blocksOf(file)) counts[heading] = (counts[heading] ?? 0) + 1
      return Object.keys(counts).length === 0 ? [] : [[file, counts]]
    }),
  )
  const listed = Object.fromEntries(
    Object.entries(BLOCKS).map(([file, headings]) => [
      file,
      Object.fromEntries(Object.entries(headings).map(([name, hows]) => [name, hows.length])),
    ]),
  )
  assert.deepEqual(documented, listed)
  for (const [file, headings] of Object.entries(BLOCKS)) {
    for (const how of Object.values(headings).flat()) {
      const [, kind, program = ''] = /^(run|compared) (\S+)$/.exec(how) ?? []
      if (kind === undefined) assert.match(how, /^(?:commands|example: .{10,})$/)
      else assert.ok(existsSync(program), `${file}: ${how}`)
      // A test that runs a block reads it.
      if (kind === 'run')
        assert.ok(readFileSync(program, 'utf8').includes(path.basename(file)), `${file}: ${how}`)
    }
  }
})

/** Each call of `svc` in a block, as words. */
function callsIn(text: string): readonly (readonly string[])[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n')
  const call =
    /^\s*(?:\$ )?(?:[\d* ]+ {2})?(?:umask \d+; )?(?:[\w-]+ --decrypt \S+ \| )?(?:npm run (?:--silent )?svc -- |npx @public-api\/cli |svc )(.*)$/
  return lines.flatMap((line) => {
    const rest = call.exec(line)?.[1]
    if (rest === undefined) return []
    const words = rest.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []
    const end = words.findIndex((word) => /^(?:[|#>&]|\d?>)/.test(word))
    return [end === -1 ? words : words.slice(0, end)]
  })
}

/** What a call names that the program does not have; undefined if it has all. */
async function unknownIn(words: readonly string[]): Promise<string | undefined> {
  let entry: CommandEntry | undefined = COMMANDS[words[0] ?? '']?.[1]
  let at = 1
  if (entry === undefined) return words[0]
  let command = await loadCommand(entry)
  while ('actions' in command) {
    entry = command.actions[words[at] ?? '']?.[1]
    if (entry === undefined) return words[at]
    command = await loadCommand(entry)
    at += 1
  }
  const names = new Set(['--json', '--help'])
  for (const [name, { short }] of Object.entries(command.options)) {
    names.add(`--${name}`)
    if (short !== undefined) names.add(`-${short}`)
  }
  return words
    .slice(at)
    .map((word) => word.replace(/=.*$/, ''))
    .find((word) => word.startsWith('-') && word !== '-' && !names.has(word))
}

test('every documented call of svc names a command and options that exist', async () => {
  let calls = 0
  for (const file of Object.keys(BLOCKS)) {
    const seen = new Map<string, number>()
    for (const { heading, text } of blocksOf(file)) {
      const index = seen.get(heading) ?? 0
      seen.set(heading, index + 1)
      const found = callsIn(text)
      if (BLOCKS[file]?.[heading]?.[index] === 'commands')
        assert.ok(found.length > 0, `${file}: ${text}`)
      for (const words of found) {
        calls += 1
        const unknown = await unknownIn(words)
        assert.equal(unknown, undefined, `${file}: svc ${words.join(' ')}`)
      }
    }
  }
  assert.ok(calls > 60, `${calls} calls`)
})

test('Prometheus scrapes the port that an installation has', () => {
  const [, port = ''] =
    /^SVC_ADMIN_PORT=(\d+)$/m.exec(readFileSync('deploy/systemd/defaults.env', 'utf8')) ?? []
  assert.ok(readFileSync('docs/operating.md', 'utf8').includes(`targets: ['127.0.0.1:${port}']`))
})
