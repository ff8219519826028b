import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { UsageError } from '@public-api/cli-kit/command'
import { parseScriptArgs } from '../scripts/script-main.ts'

const SCRIPTS_DIR = fileURLToPath(new URL('../scripts', import.meta.url))

/** The scripts that are called by themselves. */
const CALLED = readdirSync(SCRIPTS_DIR).filter(
  (file) =>
    file.endsWith('.ts') &&
    readFileSync(path.join(SCRIPTS_DIR, file), 'utf8').includes('runScript(import.meta'),
)

function run(file: string, argument: string) {
  return new Promise<{ code: unknown; out: string; error: string }>((resolve) => {
    execFile(process.execPath, [path.join(SCRIPTS_DIR, file), argument], (failure, out, error) => {
      resolve({ code: failure?.code ?? 0, out, error })
    })
  })
}

test('finds the scripts that can be run', () => {
  assert.ok(CALLED.includes('check.ts') && CALLED.includes('generate.ts'), CALLED.join())
})

for (const file of CALLED) {
  const name = path.basename(file, '.ts')

  test(`${name} prints help`, async () => {
    const { code, out, error } = await run(file, '--help')
    assert.deepEqual({ code, error }, { code: 0, error: '' })
    assert.match(out, /^Usage: np[mx] /)
    assert.match(out, /^Exit code: 0 .+, 2 wrong usage\.\n$/m)
  })
}

test('an option that the script does not know is refused in one line', async () => {
  const file = path.relative(process.cwd(), path.join(SCRIPTS_DIR, 'check.ts'))
  assert.deepEqual(await run('check.ts', '--wrong'), {
    code: 2,
    out: '',
    error: `error: Unknown option '--wrong'. Run 'npx node ${file} --help' for usage.\n`,
  })
})

test('positional arguments are accepted only by scripts that take them', () => {
  const options = { check: { type: 'boolean' } } as const
  const { values, positionals } = parseScriptArgs(['word', '--check'], options, true)
  assert.deepEqual([values.check, positionals], [true, ['word']])
  assert.throws(() => parseScriptArgs(['word'], options), UsageError)
})
