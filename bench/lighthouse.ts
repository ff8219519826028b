import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { CHROMIUM_ARGUMENTS, findChromium, NO_CHROMIUM } from '../scripts/find-chromium.ts'
import { runScript, ScriptUsageError } from '../scripts/script-main.ts'
import { messageOf } from '../src/contract/error-message.ts'
import { LOCALES, type Locale } from '../src/contract/locales.ts'
import { LIGHTHOUSE_SECTION, writeSection } from './benchmarks-document.ts'
import { describeProcessors } from './cores.ts'
import {
  CATEGORIES,
  lighthouseTable,
  sampleOf,
  summarizeRuns,
  type LighthousePage,
  type LighthouseReport,
} from './lighthouse-result.ts'
import { startService } from './server.ts'
import { formatTable } from './table.ts'
import { openWorkspace, type Workspace } from './workspace.ts'

// Judges pages with Lighthouse, as a reader's slow telephone gets them. Lighthouse is no dependency: npm fetches the
// version that is named here when this is run.

const LIGHTHOUSE = 'lighthouse@13.5.0'

const ROOT = path.dirname(import.meta.dirname)
const DOCUMENT = path.join(ROOT, 'docs', 'benchmarks.md')

/** What is promised a score for: the front door, the longest page and the one with the form. */
const PLACES = ['', '/reference', '/early-access']

const CHROME_FLAGS = ['--headless=new', '--disable-dev-shm-usage', ...CHROMIUM_ARGUMENTS]

const HELP = `Usage: npx node bench/lighthouse.ts [options]

Starts the service on loopback and has ${LIGHTHOUSE} judge the overview, the reference and
the form: mobile setting, all four categories.

  --runs <n>        runs of each page, of which the median counts (3)
  --locale <name>   ${LOCALES.join(', ')}; may be repeated (en when left out)
  --write           also writes the section of docs/benchmarks.md
  --help            this text

It wants a chromium on the PATH (or named by CHROME_PATH), two idle processors, and npm to
fetch Lighthouse, unless npm has it in its cache.

Exit code: 0 every score is high enough, 1 one is not or pages could not be judged, 2 wrong
usage.
`

const run = promisify(execFile)
/** A report of Lighthouse, or what npm says, is not longer. */
const MAX_OUTPUT_BYTES = 64_000_000

/** The browser to use. Throws an Error where there is none. */
function chooseBrowser(): string {
  const named = process.env['CHROME_PATH']
  const file = named === undefined || named === '' ? findChromium() : named
  if (file === undefined) throw new Error(`${NO_CHROMIUM}, and CHROME_PATH names no browser`)
  return file
}

/** Runs Lighthouse with this project's Node. Rejects with what npm or Lighthouse said. */
async function lighthouse({ env, folder }: Workspace, args: readonly string[]): Promise<string> {
  const chrome = chooseBrowser()
  const own = [path.join(ROOT, 'node_modules', '.bin'), env['PATH']].join(path.delimiter)
  const home = path.join(folder, 'browser')
  mkdirSync(home, { recursive: true })
  const command = ['exec', '--yes', `--package=${LIGHTHOUSE}`, '--', 'lighthouse', ...args]
  try {
    const { stdout } = await run('npm', command, {
      // What Chromium keeps beside its profile goes with the folder.
      env: { ...env, PATH: own, XDG_CONFIG_HOME: home, TMPDIR: home, CHROME_PATH: chrome },
      maxBuffer: MAX_OUTPUT_BYTES,
      encoding: 'utf8',
    })
    return stdout
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
    const reason = said.replaceAll(/^npm warn .*\n?/gm, '').trim()
    throw new Error(reason === '' ? messageOf(error) : reason, { cause: error })
  }
}

/** Lighthouse now and then loses the browser's trace, and then asks to be run again. */
const ATTEMPTS = 3

async function judge(
  workspace: Workspace,
  url: string,
  attempts = ATTEMPTS,
): Promise<LighthouseReport> {
  const file = path.join(workspace.folder, 'lighthouse.json')
  const args = [
    url,
    '--quiet',
    '--no-enable-error-reporting',
    '--output=json',
    `--output-path=${file}`,
    `--only-categories=${Object.keys(CATEGORIES).join(',')}`,
    `--chrome-flags=${CHROME_FLAGS.join(' ')}`,
  ]
  try {
    await lighthouse(workspace, args)
  } catch (error) {
    if (attempts === 1) throw error
    process.stderr.write(`${messageOf(error)}\nOnce more.\n`)
    return judge(workspace, url, attempts - 1)
  }
  return JSON.parse(readFileSync(file, 'utf8')) as LighthouseReport
}

interface Options {
  readonly runs: number
  readonly locales: readonly Locale[]
  readonly write: boolean
}

/** Throws a ScriptUsageError with what was wrong and what was expected. */
function readOptions(values: {
  readonly runs: string
  readonly locale: readonly string[]
  readonly write: boolean
}): Options {
  if (!/^[1-9]\d?$/.test(values.runs)) {
    throw new ScriptUsageError(
      `--runs: expected a whole number from 1 to 99, found "${values.runs}"`,
    )
  }
  const locales = LOCALES.filter((locale) => values.locale.includes(locale))
  if (locales.length < new Set(values.locale).size) {
    const found = values.locale.join(', ')
    throw new ScriptUsageError(`--locale: expected one of ${LOCALES.join(', ')}, found ${found}`)
  }
  return { runs: Number(values.runs), locales, write: values.write }
}

async function judgeAll(
  workspace: Workspace,
  { runs, locales }: Options,
): Promise<readonly LighthousePage[]> {
  const server = await startService(workspace, undefined)
  try {
    const pages: LighthousePage[] = []
    for (const locale of locales) {
      for (const place of PLACES) {
        const target = `/${locale}${place}`
        const samples = []
        while (samples.length < runs) {
          process.stderr.write(`${target}: run ${samples.length + 1} of ${runs}\n`)
          const report = await judge(workspace, `http://127.0.0.1:${server.port}${target}`)
          samples.push(sampleOf(report))
        }
        pages.push(summarizeRuns(target, samples))
      }
    }
    return pages
  } finally {
    await server.end()
  }
}

/** Gives the exit code. */
async function judgeAndTell(options: Options): Promise<number> {
  const workspace = await openWorkspace()
  try {
    // The first of these also tells whether there is a browser, and whether npm can fetch Lighthouse.
    const version = (await lighthouse(workspace, ['--version'])).trim()
    const pages = await judgeAll(workspace, options)
    const table = lighthouseTable(pages, options.runs)
    process.stdout.write(`${formatTable(table, (cell) => cell)}\n`)
    for (const { path: page, failures } of pages) {
      for (const failure of failures) process.stdout.write(`${page}: ${failure}\n`)
    }
    if (options.write) {
      const facts = [
        `Measured on ${new Date().toISOString().slice(0, 10)} with Lighthouse ${version}.`,
        `Machine: ${describeProcessors()}; Node ${process.version}.`,
      ]
      writeSection(DOCUMENT, LIGHTHOUSE_SECTION, facts, [table])
    }
    return pages.every(({ isMet }) => isMet) ? 0 : 1
  } catch (error) {
    process.stderr.write(`The pages could not be judged: ${messageOf(error)}\n`)
    return 1
  } finally {
    workspace.remove()
  }
}

await runScript(import.meta, {
  help: HELP,
  options: {
    runs: { type: 'string', default: '3' },
    locale: { type: 'string', multiple: true, default: ['en'] },
    write: { type: 'boolean', default: false },
  },
  run: ({ values }) => judgeAndTell(readOptions(values)),
})
