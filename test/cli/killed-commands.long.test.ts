import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readVersions } from '../../src/publishing/releases/published-versions.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { editContent, makeContent } from '../publishing/content-fixture.ts'
import { SVC } from '../support/run-program.ts'
import { argsOf, cleanEnvironment, svcIn } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const KILLER = pathToFileURL(
  fileURLToPath(new URL('../support/kill-at-step.ts', import.meta.url)),
).href

/** The folder of a publisher: content, releases with two versions, a log, and its key. */
async function makePublisher(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t)
  cpSync(makeContent(t), path.join(folder, 'content'), { recursive: true })
  await succeed(folder, argsOf('publish -m First --create --no-cards'))
  await succeed(folder, argsOf('tlog init --origin api.example.org/log'))
  editContent(path.join(folder, 'content'), 'roadmap', 'title: Writing', 'title: Writing well')
  await succeed(folder, argsOf('publish -m Second --no-cards'))
  return folder
}

/** Of the copy's links. */
const NAMED = { SVC_BASE_URL: 'https://api.example.org' }

/** Runs a command in a process of its own, which is killed before a step. */
function runUntil(folder: string, args: readonly string[], step: number) {
  const env = cleanEnvironment({ ...NAMED, KILL_AT_STEP: `${step}` })
  const options = { cwd: folder, env, encoding: 'utf8', timeout: 120_000 } as const
  return spawnSync(process.execPath, ['--import', KILLER, SVC, ...args], options)
}

/** Runs a command in this process, which must succeed. */
async function succeed(folder: string, args: readonly string[]): Promise<string> {
  const { status, out, error } = await svcIn(folder, args, { env: NAMED })
  assert.equal(status, 0, `${args.join(' ')}: ${error}`)
  return out
}

const OPEN = argsOf(
  'incident open --id a --title Slow --impact minor --component read-api=degraded --summary Slow. --text Slow. --publish --no-cards',
)
const UPDATE = argsOf('incident update a --text More. --publish --no-cards')
const REDACT = argsOf('redact VS-0001 roadmap --reason A-person-asked. --yes')

/** What is killed, how often it may have been done afterwards, what makes it done again, and what follows it. */
const COMMANDS: readonly (readonly [
  title: string,
  prepare: (folder: string) => Promise<void> | void,
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
    async (folder) => {
      const env = { SVC_TLOG_KEY_FILE: path.join(folder, 'missing', 'key.pem') }
      const { error } = await svcIn(folder, argsOf('rollback VS-0001 --no-cards'), { env })
      assert.match(error, /VS-0003 is pending/)
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
  test(`after svc ${title} was killed at any step, it is done by the same command, once`, async (t) => {
    const made = await makePublisher(t)
    await prepare(made)
    const copyPublisher = () => {
      const folder = path.join(temporaryFolder(t), 'publisher')
      cpSync(made, folder, { recursive: true })
      return folder
    }
    const [, counted] = /^(\d+) steps$/m.exec(runUntil(copyPublisher(), command, 0).stderr) ?? []
    const steps = Number(counted)
    assert.ok(steps > 5, `${counted} steps`)
    for (let step = 1; step <= steps; step += 1) {
      // A copy has hundreds of files: each of the first and of the last steps, and some between.
      if (step > 36 && step < steps - 12 && step % Math.ceil(steps / 24) !== 0) continue
      const folder = copyPublisher()
      assert.equal(runUntil(folder, command, step).signal, 'SIGKILL', `step ${step}`)
      const again = await svcIn(folder, command, { env: NAMED })
      const isDone =
        again.status === 0 || /already exists|is redacted|was redacted/.test(again.error)
      assert.ok(isDone, `step ${step}: ${again.error}`)
      const store = openReleaseStore(path.join(folder, 'releases'))
      assert.equal(readVersions(store).length, versions, `step ${step}`)
      await succeed(folder, next)
      await succeed(folder, argsOf('tlog cosign'))
      await succeed(folder, ['audit', 'releases'])
      const status = readFileSync(path.join(folder, 'content', 'status.yaml'), 'utf8')
      assert.equal(
        status.match(/text: Slow\./g)?.length ?? 0,
        next === UPDATE || next === OPEN ? 1 : 0,
      )
      await succeed(folder, argsOf('check'))
      const idle = await succeed(folder, argsOf('publish -m Nothing --no-cards'))
      assert.match(idle, /^Nothing to publish/)
      rmSync(folder, { recursive: true })
    }
  })
}
