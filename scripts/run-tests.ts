import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from '@public-api/cli-kit/command'
import { runScript } from './script-main.ts'

const ROOT_DIR = fileURLToPath(new URL('..', import.meta.url))

const HELP = `Usage: npm test [-- [options] [PATTERN...]]
       npm run test:fast | test:long | test:watch [-- [options] [PATTERN...]]

Runs the test files whose path contains a PATTERN; without one, all but the long ones.

  --fast           only files that start no other program (neither *.process.test.ts nor *.long.test.ts)
  --long           only files that take long by nature (*.long.test.ts)
  --name REGEX     only tests whose name matches
  --watch          run again whenever a file changes
  --no-skips       fail if a test is skipped
  --list           print the files with their kinds, and exit
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

type TestKind = 'fast' | 'process' | 'long'

function kindOf(file: string): TestKind {
  const [, kind] = /\.(process|long)\.test\.ts$/.exec(file) ?? []
  return kind === 'process' || kind === 'long' ? kind : 'fast'
}

const CORES = availableParallelism()

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

const SHARED_PROCESS = '--test-isolation=none'

/**
 * The calls of `node --test` for the files of a kind. Files share processes, because loading the modules takes longer
 * than most tests.
 */
const CALLS: { readonly [kind in TestKind]: CallPlan } = {
  // Neighbors use the same programs: the browser starts in one or two of the processes.
  process: { args: [SHARED_PROCESS], divide: (files) => chunks(files, 4 * CORES) },
  // Neighbors take about the same time, so each process gets some of them.
  fast: {
    args: [SHARED_PROCESS, '--max-semi-space-size=64'],
    divide: (files) => shards(files, 2 * CORES),
  },
  // Simulated days fall behind their clock on busy processors.
  long: { args: [`--test-concurrency=${CORES}`], divide: (files) => [files] },
}

interface CallPlan {
  readonly args: readonly string[]
  /** The files of each call; a call without files is left out. */
  readonly divide: (files: readonly string[]) => readonly (readonly string[])[]
}

/** Calls that run at once. Tests wait for a part of their time, those that start programs most of all. */
const CONCURRENT_CALLS = 4 * CORES

function chunks(files: readonly string[], count: number): readonly (readonly string[])[] {
  const ends = Array.from({ length: count + 1 }, (_, index) =>
    Math.round((index * files.length) / count),
  )
  return ends.slice(1).map((end, index) => files.slice(ends[index], end))
}

function shards(files: readonly string[], count: number): readonly (readonly string[])[] {
  return Array.from({ length: count }, (_, shard) =>
    files.filter((_file, index) => index % count === shard),
  )
}

const TEST_ARGS = [
  '--test',
  '--test-timeout=900000',
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
]
const COUNTS_REPORTER = fileURLToPath(new URL('report-counts.ts', import.meta.url))

/** Result of one call of `node --test`. */
interface CallResult {
  readonly exitCode: number
  readonly tests: number
  readonly skipped: readonly string[]
  readonly failures: string
}

/** The failed tests with their errors, which `node --test` prints last; all output if it ended before. */
function failuresIn(output: string): string {
  return output.slice(Math.max(0, output.lastIndexOf('✖ failing tests:')))
}

/**
 * Runs `node` with arguments; prints the output as it comes, or all of it at the end. Resolves to the exit code and what
 * it printed at the end.
 */
function runNode(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  isLive: boolean,
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const stdout = isLive ? 'inherit' : 'pipe'
  const child = spawn(process.execPath, args, {
    cwd: ROOT_DIR,
    env,
    stdio: ['inherit', stdout, 'inherit'],
  })
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      process.stdout.write(output)
      resolve({ exitCode: code ?? 1, output })
    })
  })
}

await runScript(import.meta, {
  help: HELP,
  options: FLAGS,
  takesArguments: true,
  async run({ values: { fast, long, name, watch, list, 'no-skips': noSkips }, positionals }) {
    if (fast && long) throw new UsageError('expected --fast or --long, found both')
    const isSelected = (kind: TestKind) => {
      if (fast || long) return kind === (fast ? 'fast' : 'long')
      return kind !== 'long' || positionals.length > 0
    }
    const files = globSync('test/**/*.test.ts', { cwd: ROOT_DIR, exclude: ['**/node_modules/**'] })
      .filter((file) => isSelected(kindOf(file)))
      .filter((file) => !positionals.length || positionals.some((part) => file.includes(part)))
      .toSorted()
    if (files.length === 0) {
      throw new UsageError(`no test file matches ${positionals.join(' ')}`)
    }
    if (list) {
      for (const file of files) process.stdout.write(`${kindOf(file).padEnd(7)} ${file}\n`)
      return 0
    }
    const startedMs = performance.now()
    const memoryDir = process.env['TMPDIR'] === undefined ? makeMemoryFolder() : undefined
    const resultsDir = mkdtempSync(path.join(memoryDir ?? tmpdir(), 'results-'))
    process.once('exit', () => rmSync(memoryDir ?? resultsDir, { recursive: true, force: true }))
    process.once('SIGTERM', () => process.exit(143))
    // Ctrl-C reaches the test processes as well; this one ends after them.
    process.on('SIGINT', () => {})
    const env = {
      ...process.env,
      // Programs that tests start find their sources compiled, too.
      NODE_COMPILE_CACHE: path.join(ROOT_DIR, 'node_modules', '.cache', 'test'),
      ...(memoryDir === undefined ? {} : { TMPDIR: memoryDir }),
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
    }
    const args = [...TEST_ARGS, ...(name === undefined ? [] : [`--test-name-pattern=${name}`])]
    if (watch) return (await runNode([...args, '--watch', ...files], env, true)).exitCode
    const calls = Object.entries(CALLS).flatMap(([kind, plan]) =>
      plan
        .divide(files.filter((file) => kindOf(file) === kind))
        .filter((part) => part.length > 0)
        .map((part) => [...plan.args, ...part]),
    )
    const results: CallResult[] = []
    const queue = calls.entries()
    async function runInTurn(): Promise<void> {
      for (const [index, call] of queue) {
        const file = path.join(resultsDir, `${index}.json`)
        const report = [`--test-reporter=${COUNTS_REPORTER}`, `--test-reporter-destination=${file}`]
        const isOnly = calls.length === 1
        const { exitCode, output } = await runNode([...args, ...report, ...call], env, isOnly)
        const counts = existsSync(file) ? readFileSync(file, 'utf8') : ''
        // A process that ends in the middle, without memory for one, takes the other tests of its files with it.
        const lost = counts === '' ? `✖ ended before its last test: node ${call.join(' ')}\n` : ''
        const failures = exitCode === 0 ? '' : failuresIn(output) + lost
        results.push({ tests: 0, skipped: [], ...JSON.parse(counts || '{}'), exitCode, failures })
      }
    }
    await Promise.all(Array.from({ length: CONCURRENT_CALLS }, runInTurn))
    const skipped = results.flatMap((result) => result.skipped)
    const tests = results.reduce((sum, result) => sum + result.tests, 0)
    // Again, after the output of the runs that ended later.
    for (const { failures } of results) process.stdout.write(failures)
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
    const failed = results.filter(({ exitCode }) => exitCode !== 0).length
    process.stdout.write(
      `\nAll runs: tests ${tests}, skipped ${skipped.length}, failed runs ${failed}, ${seconds} s\n`,
    )
    for (const line of skipped) process.stdout.write(`  skipped: ${line}\n`)
    return failed > 0 || (noSkips && skipped.length > 0) ? 1 : 0
  },
})
