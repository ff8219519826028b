import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parseEnvironmentFile } from '../../src/cli/environment-file.ts'
import { hasProgram } from '../caches/cache-process.ts'
import { createSeededRandom, seedOf } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The characters that docs/operating.md names for a value. */
const DOCUMENTED = 'ABCXYZabcxyz0189-_.,:/@%+=?~'

const skip = hasProgram('docker-compose') ? false : 'docker-compose is not installed'

function runReader(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  })
  assert.equal(status, 0, stderr)
  return stdout
}

/** Variables `V…` of lines in the form NAME=value. */
const variablesOf = (text: string) =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name, value] = /^(V\d+)=(.*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, value]]
    }),
  )

test('svc, node, a shell and compose read the documented form of a line alike', { skip }, (t) => {
  const seed = seedOf('ENVIRONMENT_SEED')
  const below = createSeededRandom(seed)
  const values = Array.from({ length: 300 }, () =>
    Array.from({ length: 1 + below(12) }, () => DOCUMENTED[below(DOCUMENTED.length)]).join(''),
  )
  const lines = values.map((value, index) => `V${index}=${value}`)
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'environment')
  const compose = path.join(folder, 'compose.yaml')
  writeFileSync(file, `# Settings\n${lines.join('\n')}\n`)
  writeFileSync(compose, 'services:\n  api:\n    image: api\n    env_file: [environment]\n')
  const expected = variablesOf(lines.join('\n'))
  const print = 'for (const each of Object.entries(process.env)) console.log(each.join("="))'
  const composed = runReader('docker-compose', '--file', compose, 'config', '--no-interpolate')
  const readings = {
    svc: { ...parseEnvironmentFile(`${lines.join('\n')}\n`) },
    node: variablesOf(runReader(process.execPath, `--env-file=${file}`, '--eval', print)),
    shell: variablesOf(runReader('sh', '-c', `HOME='~'; set -a; . ${file}; env`)),
    compose: variablesOf(composed.replaceAll(/^ +(V\d+): (?:'(.*)'|"(.*)"|(.*))$/gm, '$1=$2$3$4')),
  }
  for (const [reader, variables] of Object.entries(readings)) {
    assert.deepEqual(variables, expected, `${reader}, ENVIRONMENT_SEED=${seed}`)
  }
})
