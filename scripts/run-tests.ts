import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { runScript, ScriptUsageError } from './script-main.ts'
import { findTestFiles, type TestKind } from './test-files.ts'

const ROOT_DIR = fileURLToPath(new URL('..', import.meta.url))

const HELP = `Usage: npm test [-- [options] [PATTERN...]]
       npm run test:fast | test:long | test:watch [-- [options] [PATTERN...]]

Runs the test files whose path contains a PATTERN; without one, all but the long ones.

  --fast           only files that start no other program
  --long           only files that take long by nature (*.long.test.ts)
  --name REGEX     only tests whose name matches
  --watch          run again whenever a file changes
  --no-skips       fail if a test is skipped
  --list           print the files and how they run, and exit
  --help           show this text

Exit code: 0 all passed, 1 a test failed (or was skipped, with --no-skips), 2 wrong usage.
`

const FLAGS = {
  fast: { type: 'boolean', default: false },
  long: { type: 'boolean', default: false },
  name: { type: 'string' },
  watch: { type: 'boolean', default: false },
  'no-skips': { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
} as const

const TIMEOUT_MS = 180_000

/** Hundreds of apps are made in one process; with V8's default a seventh of the time is garbage collection. */
const MANY_SMALL_OBJECTS = '--max-semi-space-size=64'

const MEMORY_FOLDER = '/dev/shm'
const MIN_MEMORY_BYTES = 2 * 1024 ** 3

/**
 * Makes a folder in memory for the temporary files of the tests, or returns undefined if the machine has none.
 * The service waits for the disk before it responds to a registration, and tests wait with it: half of their time.
 */
function makeMemoryFolder(): string | undefined {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const [, , type, options = 'noexec'] =
      mounts.find((line) => line.split(' ')[1] === MEMORY_FOLDER)?.split(' ') ?? []
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    if (type !== 'tmpfs' || options.split(',').includes('noexec')) return undefined
    if (bavail * bsize < MIN_MEMORY_BYTES) return undefined
    const folder = mkdtempSync(path.join(MEMORY_FOLDER, 'tests-'))
    // As /tmp: PostgreSQL refuses to run as root, so tests start it as another user.
    chmodSync(folder, 0o1777)
    return folder
  } catch {
    return undefined
  }
}

/** Result of one run of `node --test`. */
interface RunResult {
  readonly exitCode: number
  /** As the summary of the spec reporter prints them. */
  readonly counts: Readonly<Record<string, number>>
  readonly skipped: readonly string[]
}

/** Folders of the tests that take longest. Their files are distributed first, so that each process gets some. */
const LONGEST_FIRST = ['docs', 'process', 'storage', 'cli']

function byDuration(left: string, right: string): number {
  const rank = (file: string) => {
    const index = LONGEST_FIRST.indexOf(file.split(path.sep)[1] ?? '')
    return index === -1 ? LONGEST_FIRST.length : index
  }
  return rank(left) - rank(right) || left.localeCompare(right)
}

/** Runs the files of a whole run in one process. */
const TEST_PROCESS = fileURLToPath(new URL('test-process.ts', import.meta.url))

/** The arguments of `node` that run test files. */
const TEST_ARGS = ['--test', `--test-timeout=${TIMEOUT_MS}`, '--test-reporter=spec']

/** One process that runs test files. */
interface RunOptions {
  /** Arguments of `node` before the files. */
  readonly args: readonly string[]
  readonly files: readonly string[]
  readonly temporaryDir: string | undefined
  /** Prints the output as it comes, otherwise all of it at the end. */
  readonly isLive: boolean
}

function runNode({ args, files, temporaryDir, isLive }: RunOptions): Promise<RunResult> {
  const child = spawn(process.execPath, [...args, ...files], {
    cwd: ROOT_DIR,
    env: {
      ...process.env,
      // Programs that tests start find their sources compiled, too.
      NODE_COMPILE_CACHE: path.join(ROOT_DIR, 'node_modules', '.cache', 'test'),
      ...(temporaryDir === undefined ? {} : { TMPDIR: temporaryDir }),
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
    },
    stdio: ['inherit', 'pipe', 'inherit'],
  })
  const counts: Record<string, number> = {}
  const skipped: string[] = []
  let rest = ''
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (isLive) process.stdout.write(text)
    else output += text
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, name, count] = /ℹ (tests|pass|fail|cancelled|skipped|todo) (\d+)/.exec(line) ?? []
      if (name !== undefined) counts[name] = Number(count)
      if (line.includes('# SKIP') || line.includes('﹣')) skipped.push(line.trim())
    }
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      process.stdout.write(output)
      resolve({ exitCode: code ?? 1, counts, skipped })
    })
  })
}

/** Distributes the files to processes, each file to the next one. */
function deal(files: readonly string[], processes: number): readonly (readonly string[])[] {
  const hands = Array.from({ length: processes }, (): string[] => [])
  for (const [index, file] of files.entries()) hands[index % processes]?.push(file)
  return hands.filter(({ length }) => length > 0)
}

/** The share of a run after which no long job starts, so that the run does not end with one job on one processor. */
const LAST_START = 0.6

/** Both lists in their order, with the long jobs spread over the first part of the others. */
function interleave<Item>(jobs: readonly Item[], longJobs: readonly Item[]): readonly Item[] {
  const place = (index: number, { length }: readonly Item[]) => (index + 0.5) / length
  return [
    ...jobs.map((item, index) => ({ item, at: place(index, jobs) })),
    ...longJobs.map((item, index) => ({ item, at: place(index, longJobs) * LAST_START })),
  ]
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item)
}

/** One process with its own arguments and files. */
type Job = Pick<RunOptions, 'args' | 'files'>

/** Runs the jobs in their order, a number of them at a time. */
async function runJobs(
  jobs: readonly Job[],
  concurrency: number,
  run: (job: Job) => Promise<RunResult>,
): Promise<readonly RunResult[]> {
  const waiting = [...jobs]
  const results: RunResult[] = []
  async function runNext(): Promise<void> {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      results.push(await run(job))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, runNext))
  return results
}

function nameArgs(name: string | undefined): readonly string[] {
  return name === undefined ? [] : [`--test-name-pattern=${name}`]
}

/** Loading the modules takes most files as long as their tests, so several share a process. */
const FILES_PER_PROCESS = 4

/** The files of a process share a Chromium. */
const BROWSER_PROCESSES = 4
const isOfBrowser = (file: string) => file.startsWith(path.join('test', 'browser'))

async function runFiles(
  files: ReadonlyMap<string, TestKind>,
  name: string | undefined,
  temporaryDir: string | undefined,
): Promise<readonly RunResult[]> {
  const filesOf = (wanted: TestKind) =>
    [...files].filter(([, kind]) => kind === wanted).map(([file]) => file)
  const args = [...TEST_ARGS, '--test-isolation=none', ...nameArgs(name)]
  const alone = (file: string): Job => ({ args, files: [file] })
  const processors = availableParallelism()
  const pure = filesOf('pure')
  const starting = filesOf('starting').toSorted(byDuration)
  const long = filesOf('long').toSorted(byDuration)
  // Tests wait for half of their time, so several processes share a processor. In a whole run some pure files compute
  // while others wait.
  const concurrency = (starting.length === 0 ? 5 : 3) * processors
  const pureArgs =
    pure.length > concurrency
      ? [TEST_PROCESS, `--timeout=${TIMEOUT_MS}`, ...(name === undefined ? [] : [`--name=${name}`])]
      : args
  const pureJobs = deal(pure, concurrency).map((dealt) => ({
    args: [MANY_SMALL_OBJECTS, ...pureArgs],
    files: dealt,
  }))
  const browser = starting.filter(isOfBrowser)
  const others = starting.filter((file) => !isOfBrowser(file))
  const startingJobs = [
    ...filesOf('isolated').map(alone),
    ...deal(browser, BROWSER_PROCESSES).map((dealt) => ({ args, files: dealt })),
    ...deal(others, Math.ceil(others.length / FILES_PER_PROCESS)).map((dealt) => ({
      args,
      files: dealt,
    })),
  ]
  const jobs: readonly Job[] = interleave(startingJobs, pureJobs)
  const isLive = jobs.length + long.length === 1
  const run = (job: Job) => runNode({ ...job, temporaryDir, isLive })
  // Long tests of processes wait for kills and timeouts, so they run beside the ones that compute. Simulated days fall
  // behind their clock on busy processors.
  const isWaiting = (file: string) => file.startsWith(path.join('test', 'process'))
  const results = await Promise.all([
    runJobs(jobs, concurrency, run),
    runJobs(long.filter(isWaiting).map(alone), processors, run),
    runJobs(long.filter((file) => !isWaiting(file)).map(alone), processors, run),
  ])
  return results.flat()
}

function printSummary(results: readonly RunResult[], seconds: number): void {
  const total = (name: string) => results.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)
  const names = ['tests', 'pass', 'fail', 'cancelled', 'skipped', 'todo']
  const counts = names.map((name) => `${name} ${total(name)}`).join(', ')
  process.stdout.write(`\nAll runs: ${counts}, ${seconds.toFixed(0)} s\n`)
  for (const line of results.flatMap(({ skipped }) => skipped)) {
    process.stdout.write(`  ${line}\n`)
  }
}

await runScript(import.meta, {
  help: HELP,
  options: FLAGS,
  takesArguments: true,
  async run({ values: { fast, long, name, watch, list, 'no-skips': noSkips }, positionals }) {
    if (fast && long) throw new ScriptUsageError('expected --fast or --long, found both')
    const isSelected = (kind: TestKind) => {
      if (fast) return kind === 'pure'
      if (long) return kind === 'long'
      return kind !== 'long' || positionals.length > 0
    }
    const files = [...findTestFiles(ROOT_DIR)].filter(
      ([file, kind]) =>
        isSelected(kind) &&
        (positionals.length === 0 || positionals.some((pattern) => file.includes(pattern))),
    )
    if (files.length === 0) {
      throw new ScriptUsageError(`no test file matches ${positionals.join(' ')}`)
    }
    if (list) {
      for (const [file, kind] of files) process.stdout.write(`${kind.padEnd(8)} ${file}\n`)
      return 0
    }
    const startedMs = performance.now()
    const temporaryDir = process.env['TMPDIR'] === undefined ? makeMemoryFolder() : undefined
    if (temporaryDir !== undefined) {
      process.once('exit', () => rmSync(temporaryDir, { recursive: true, force: true }))
      process.once('SIGTERM', () => process.exit(143))
      // Ctrl-C reaches the test processes as well; this one ends after them.
      process.on('SIGINT', () => {})
    }
    if (watch) {
      const paths = files.map(([file]) => file)
      const args = [...TEST_ARGS, '--watch', ...nameArgs(name)]
      return (await runNode({ args, files: paths, temporaryDir, isLive: true })).exitCode
    }
    const results = await runFiles(new Map(files), name, temporaryDir)
    printSummary(results, (performance.now() - startedMs) / 1000)
    const hasSkips = results.some(
      ({ counts, skipped }) => (counts['skipped'] ?? skipped.length) > 0,
    )
    return results.some(({ exitCode }) => exitCode !== 0) || (noSkips && hasSkips) ? 1 : 0
  },
})
