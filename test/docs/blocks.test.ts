import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { CommandEntry } from '@public-api/cli-kit/command'
import { loadCommand } from '@public-api/cli-kit/run-program'
import { COMMANDS } from '../../src/cli/program.ts'
import { documentedBlocks } from '../support/documented-blocks.ts'

const FILES = globSync([
  '{ARCHITECTURE,CONTRIBUTING,README,SECURITY}.md',
  '{docs,examples,test/vectors}/**/*.md',
  '{packages,clients}/*/README.md',
]).filter((file) => /^\s*```/m.test(readFileSync(file, 'utf8')))

/** A whole document that is made from the schemas and their examples, and compared with what is in the repository. */
const GENERATED = { file: 'docs/content.md' } as const

/** The sources of all tests. */
const TESTS = globSync('test/**/*.test.ts', { exclude: ['**/node_modules/**'] })
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

/** Whether a test takes the blocks of a document, or those below the heading, from the document. */
function isTaken(file: string, heading: string): boolean {
  const quote = (text: string) => `['"\`]${RegExp.escape(text)}['"\`]`
  const call = new RegExp(
    `documentedBlocks\\(\\s*${quote(file)}(?:,\\s*${quote(heading)})?,?\\s*\\)`,
  )
  return call.test(TESTS)
}

test('each code block of the documents is read by a test, has calls of svc, or says why not', () => {
  for (const file of FILES) {
    for (const { heading, text, example } of documentedBlocks(file)) {
      if (example !== undefined || file === GENERATED.file) continue
      const isTested = callsIn(text).length > 0 || isTaken(file, heading)
      assert.ok(isTested, `${file}, ${heading}: ${text}`)
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
  for (const file of FILES) {
    for (const { text } of documentedBlocks(file)) {
      for (const words of callsIn(text)) {
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
