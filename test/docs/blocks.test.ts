import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { CommandEntry } from '@public-api/cli-kit/command'
import { loadCommand } from '@public-api/cli-kit/run-program'
import { COMMANDS } from '../../src/cli/program.ts'
import { documentedBlocks } from '../support/documented-blocks.ts'

/**
 * How each code block of the documents is tested, by document and heading, in their order. `run`: a test runs the block.
 * `compared`: a test compares the block with what is true. `commands`: this file checks its `svc` commands and their
 * options. `example`: a comment in the document says why no test runs it; headings with only such blocks are left out.
 */
const BLOCKS: { readonly [file: string]: { readonly [heading: string]: readonly string[] } } = {
  'README.md': {
    'Public API server': ['compared test/readme.process.test.ts'],
    'Verify a response yourself': ['run test/readme.process.test.ts', 'commands'],
    'Join the waitlist': ['run test/readme.process.test.ts', 'commands'],
    Publish: ['commands'],
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
    '`events/YYYY.yaml`': ['compared test/generated.process.test.ts'],
    '`itemsFrom` in `development-queue.yaml` and `roadmap.yaml`': [
      'compared test/generated.process.test.ts',
    ],
    Translations: ['compared test/generated.process.test.ts'],
    '`publishing.yaml`': ['compared test/generated.process.test.ts'],
  },
  'docs/copy.md': {
    'A copy that outlives the service': ['commands'],
  },
  'docs/operating.md': {
    'Your own service in an hour': [
      'run test/docs/guide.long.test.ts',
      'run test/docs/guide.long.test.ts',
      'run test/docs/guide.long.test.ts',
      'run test/docs/guide.long.test.ts',
      'run test/docs/guide.long.test.ts',
      'run test/docs/guide.long.test.ts',
      'run test/docs/guide.long.test.ts',
      'example',
      'run test/docs/guide.long.test.ts',
    ],
    'In a container': ['example', 'compared test/deploy/build-image.long.test.ts'],
    Publishing: ['commands'],
    'Two people publish': ['run test/docs/guide.long.test.ts'],
    'An incident at night': [
      'run test/docs/guide.long.test.ts',
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
    'Set it up': ['commands', 'example'],
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
    'The ETag, by any JSON tool': ['run test/docs/verifying.long.test.ts'],
    'The history': ['run test/docs/verifying.long.test.ts'],
    'With our code': ['run test/docs/verifying.long.test.ts'],
    'With a standard library (RFC 9421)': ['run test/docs/verifying.long.test.ts'],
    'An offline proof': ['commands'],
    'The log in an audit': ['commands'],
  },
  'docs/waitlist-to-invitation.md': {
    '1. Get a copy of the list': ['commands'],
    '2. Export a batch': ['commands', 'commands'],
    '4. Erase afterwards': ['commands', 'example'],
  },
  'docs/witnesses.md': {
    'Start alone': ['run test/docs/guide.long.test.ts', 'example'],
    'Ask two partners': ['example', 'compared test/client/log-notes.test.ts', 'example'],
    'For readers: get a policy': ['commands'],
  },
  'packages/cli/README.md': {
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
    'Verify responses of your own requests': ['run test/client/package.long.test.ts'],
    'Audit the history': [
      'run test/client/package.long.test.ts',
      'example',
      'run test/client/package.long.test.ts',
      'example',
    ],
    'While the service is away': ['run test/client/package.long.test.ts'],
  },
  'clients/go/README.md': {
    publicapi: ['run test/clients/go.long.test.ts'],
    Read: ['run test/clients/go.long.test.ts', 'run test/clients/go.long.test.ts'],
  },
  'clients/python/README.md': {
    Read: ['example', 'run test/clients/python.process.test.ts'],
  },
}

const FILES = globSync([
  '{ARCHITECTURE,CONTRIBUTING,README,SECURITY}.md',
  '{docs,examples,test/vectors}/**/*.md',
  '{packages,clients}/*/README.md',
]).filter((file) => /^\s*```/m.test(readFileSync(file, 'utf8')))

/** A whole document that is made from the schemas and their examples, and compared with what is in the repository. */
const GENERATED = { file: 'docs/content.md' } as const

/** Whether a test takes the blocks of a document, or those below the heading, from the document. */
function isTakenBy(program: string, file: string, heading: string): boolean {
  const quote = (text: string) => `['"\`]${RegExp.escape(text)}['"\`]`
  const call = new RegExp(
    `documentedBlocks\\(\\s*${quote(file)}(?:,\\s*${quote(heading)})?,?\\s*\\)`,
  )
  return call.test(readFileSync(program, 'utf8'))
}

test('each code block of the documents is run or compared by a test that reads it, or says why not', () => {
  const rows = new Map<string, string[]>()
  for (const file of FILES) {
    const counts = new Map<string, number>()
    for (const { heading, example } of documentedBlocks(file)) {
      const index = counts.get(heading) ?? 0
      counts.set(heading, index + 1)
      const how = BLOCKS[file]?.[heading]?.[index] ?? 'example'
      const place = `${file}, ${heading}, block ${index + 1}`
      assert.equal(example !== undefined, how === 'example', `${place}: ${how}`)
      const [, program] = /^(?:run|compared) (\S+)$/.exec(how) ?? []
      if (program === undefined) assert.match(how, /^(?:commands|example)$/, place)
      else if (file !== GENERATED.file)
        assert.ok(isTakenBy(program, file, heading), `${place}: ${how}`)
      rows.set(`${file} ${heading}`, [...(rows.get(`${file} ${heading}`) ?? []), how])
    }
  }
  // No row is left of a block that is gone.
  for (const [file, headings] of Object.entries(BLOCKS)) {
    for (const [heading, hows] of Object.entries(headings))
      assert.deepEqual(rows.get(`${file} ${heading}`), hows)
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
  for (const file of FILES) {
    const seen = new Map<string, number>()
    for (const { heading, text } of documentedBlocks(file)) {
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
