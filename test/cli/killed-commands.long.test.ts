import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readVersions } from '../../src/publishing/releases/published-versions.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { editContent, makeContent } from '../publishing/content-fixture.ts'
import { SVC } from '../support/run-program.ts'
import { argsOf, cleanEnvironment } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const KILLER = pathToFileURL(
  fileURLToPath(new URL('../support/kill-at-step.ts', import.meta.url)),
).href

/** The folder of a publisher: content, releases with two versions, a log, and its key. */
function makePublisher(t: TestContext): string {
  const folder = temporaryFolder(t)
  cpSync(makeContent(t), path.join(folder, 'content'), { recursive: true })
  run(folder, argsOf('publish -m First --create --no-cards'))
  run(folder, argsOf('tlog init --origin api.example.org/log'))
  editContent(path.join(folder, 'content'), 'roadmap', 'title: Writing', 'title: Writing well')
  run(folder, argsOf('publish -m Second --no-cards'))
  return folder
}

/** Runs a command in a process of its own, which is killed before a step, if one is given. Returns whether it was. */
function run(folder: string, args: readonly string[], step?: number) {
  // Of the copy's links.
  const named = { SVC_BASE_URL: 'https://api.example.org' }
  const killed = step === undefined ? named : { ...named, KILL_AT_STEP: `${step}` }
  const { signal, status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', KILLER, SVC, ...args],
    { cwd: folder, env: cleanEnvironment(killed), encoding: 'utf8', timeout: 120_000 },
  )
  if (step === undefined) assert.equal(status, 0, `${args.join(' ')}: ${stderr}`)
  return { isKilled: signal === 'SIGKILL', status, output: `${stdout}${stderr}` }
}

const OPEN = argsOf(
  'incident open --id a --title Slow --impact minor --component read-api=degraded --summary Slow. --text Slow. --publish --no-cards',
)
const UPDATE = argsOf('incident update a --text More. --publish --no-cards')
const REDACT = argsOf('redact VS-0001 roadmap --reason A-person-asked. --yes')

/** What is killed, how often it may have been done afterwards, what makes it done again, and what follows it. */
const COMMANDS: readonly (readonly [
  title: string,
  prepare: (folder: string) => void,
  command: readonly string[],
  versions: number,
  next: readonly string[],
])[] = [
  ['incident open --publish', () => {}, OPEN, 3, UPDATE],
  [
    'rollback',
    () => {},
    argsOf('rollback VS-0001 --no-cards'),
    3,
    argsOf('publish -m Next --no-cards'),
  ],
  ['redact', () => {}, REDACT, 2, OPEN],
  [
    'publish --only',
    (folder) => {
      editContent(path.join(folder, 'content'), 'status', 'name: Read API', 'name: Reads')
    },
    argsOf('publish --only status -m Third --no-cards'),
    3,
    OPEN,
  ],
  [
    'tlog cosign',
    (folder) => {
      const env = { SVC_TLOG_KEY_FILE: path.join(folder, 'missing', 'key.pem') }
      const args = ['--import', KILLER, SVC, ...argsOf('rollback VS-0001 --no-cards')]
      const options = { cwd: folder, env: cleanEnvironment(env), encoding: 'utf8' } as const
      assert.match(spawnSync(process.execPath, args, options).stderr, /VS-0003 is pending/)
    },
    argsOf('tlog cosign'),
    3,
    OPEN,
  ],
  [
    'site',
    () => {},
    argsOf('site copy --releases releases --base-url https://copy.example.org'),
    2,
    OPEN,
  ],
]

for (const [title, prepare, command, versions, next] of COMMANDS) {
  test(`after svc ${title} was killed at any step, it is done by the same command, once`, (t) => {
    const made = makePublisher(t)
    prepare(made)
    const copyPublisher = () => {
      const folder = path.join(temporaryFolder(t), 'publisher')
      cpSync(made, folder, { recursive: true })
      return folder
    }
    const [, counted] = /^(\d+) steps$/m.exec(run(copyPublisher(), command, 0).output) ?? []
    const steps = Number(counted)
    assert.ok(steps > 5, `${counted} steps`)
    for (let step = 1; step <= steps; step += 1) {
      // A copy has hundreds of files: each of the first and of the last steps, and some between.
      if (step > 36 && step < steps - 12 && step % Math.ceil(steps / 24) !== 0) continue
      const folder = copyPublisher()
      assert.equal(run(folder, command, step).isKilled, true, `step ${step}`)
      const again = run(folder, command, Number.MAX_SAFE_INTEGER)
      const isDone =
        again.status === 0 || /already exists|is redacted|was redacted/.test(again.output)
      assert.ok(isDone, `step ${step}: ${again.output}`)
      const store = openReleaseStore(path.join(folder, 'releases'))
      assert.equal(readVersions(store).length, versions, `step ${step}`)
      run(folder, next)
      run(folder, argsOf('tlog cosign'))
      run(folder, ['audit', 'releases'])
      const status = readFileSync(path.join(folder, 'content', 'status.yaml'), 'utf8')
      assert.equal(
        status.match(/text: Slow\./g)?.length ?? 0,
        next === UPDATE || next === OPEN ? 1 : 0,
      )
      run(folder, argsOf('check'))
      assert.match(
        run(folder, argsOf('publish -m Nothing --no-cards')).output,
        /^Nothing to publish/,
      )
    }
  })
}
