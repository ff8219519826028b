import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { UsageError } from '@public-api/cli-kit/command'
import { formatErrorLine } from '@public-api/cli-kit/error-line'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import { chromium, type Browser } from 'playwright-core'
import { pathOfPage } from '../src/pages/addresses.ts'
import { PAGES } from '../src/pages/serving/page-table.ts'
import { buildExample } from './build-example.ts'
import {
  CHROMIUM_ARGUMENTS,
  chromiumHome,
  findChromium,
  LOOPBACK_ONLY,
  NO_CHROMIUM,
} from './find-chromium.ts'
import { ROOT } from './package-files.ts'
import { runScript } from './script-main.ts'

const WIDTHS = [360, 768, 1280, 1600] as const
const SCHEMES = ['light', 'dark'] as const

const HELP = `Usage: npx node scripts/screenshots.ts [--page PATH]... [--locale LOCALE]... [--width PX]... [--scheme SCHEME]...
                                   [--height PX] [--example] [--out FOLDER]

Starts the service on loopback with this project's releases and takes a picture of each whole page in each locale
(${LOCALES.join(', ')}), width (${WIDTHS.join(', ')}) and scheme (${SCHEMES.join(', ')}).

  --page     path of a page below the locale, overview for the first one; all pages unless given
  --locale   all three unless given
  --width    viewport width in pixels; the four unless given
  --scheme   both unless given
  --height   takes a window of this height in pixels, not the whole page
  --example  the releases of the example organization instead
  --out      folder for the pictures; a new one below the system's temporary folder unless given
  --help     shows this

Needs a chromium on the PATH.

Exit code: 0 done, 1 pictures could not be taken, 2 wrong usage.
`

type Scheme = (typeof SCHEMES)[number]

/** One picture to take. */
interface Shot {
  /** Path of the page below the locale. */
  readonly page: string
  readonly locale: Locale
  readonly width: number
  readonly scheme: Scheme
}

const nameOf = (page: string): string => (page === '' ? 'overview' : page.replaceAll('/', '-'))

function fileOf({ page, locale, width, scheme }: Shot): string {
  return `${nameOf(page)}-${locale}-${width}-${scheme}.png`
}

async function take(
  browser: Browser,
  origin: string,
  { page: pagePath, locale, width, scheme }: Shot,
  { file, height }: { readonly file: string; readonly height: number | undefined },
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width, height: height ?? 900 },
    colorScheme: scheme,
    locale,
    // A time zone other than UTC, so that the local time is shown.
    timezoneId: 'Asia/Bangkok',
    reducedMotion: 'reduce',
  })
  try {
    const page = await context.newPage()
    await page.goto(`${origin}${pathOfPage(locale, pagePath)}`, {
      // The live panels are filled in.
      waitUntil: 'networkidle',
    })
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (excess > 0) {
      process.stdout.write(`${path.basename(file)} is ${excess} px wider than its window\n`)
    }
    await page.screenshot({ path: file, fullPage: height === undefined })
  } finally {
    await context.close()
  }
}

interface Output {
  readonly folder: string
  readonly isExample: boolean
  /** Height of the window; undefined: the whole page. */
  readonly height: number | undefined
}

/** Starts the service on a free port of the loopback. What it writes is in the folder. */
async function startService(folder: string, releases: string) {
  const service = spawn(process.execPath, ['src/main.ts'], {
    cwd: ROOT,
    env: {
      ...process.env,
      PORT: '0',
      SVC_LOG_FORMAT: 'json',
      SVC_RELEASES_DIR: releases,
      SVC_SECRETS_DIR: path.join(folder, 'secrets'),
      SVC_DATA_DIR: path.join(folder, 'data'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface(service.stdout)) {
    const url = /"url":"(http:[^"]*)"/.exec(line)?.[1]
    if (url === undefined) continue
    service.stdout.resume()
    return { origin: new URL(url).origin, end: () => service.kill() }
  }
  throw new Error('the service did not start')
}

async function takeAll(
  executablePath: string,
  shots: readonly Shot[],
  { folder, isExample, height }: Output,
): Promise<void> {
  const own = mkdtempSync(path.join(tmpdir(), 'screenshots-service-'))
  process.on('exit', () => rmSync(own, { recursive: true, force: true }))
  const releases = path.join(isExample ? own : ROOT, 'releases')
  if (isExample) await buildExample(path.join(own, 'content'), releases)
  const service = await startService(own, releases)
  try {
    const home = path.join(own, 'browser')
    mkdirSync(home)
    const browser = await chromium.launch({
      executablePath,
      args: [...CHROMIUM_ARGUMENTS, LOOPBACK_ONLY],
      env: { ...process.env, ...chromiumHome(home) },
    })
    try {
      for (const shot of shots) {
        await take(browser, service.origin, shot, { file: path.join(folder, fileOf(shot)), height })
      }
    } finally {
      await browser.close()
    }
  } finally {
    service.end()
  }
}

/** The values among `all` that were selected, or all; throws a UsageError for an unknown one. */
function chosen<Value extends string | number>(
  option: string,
  all: readonly Value[],
  asked: readonly string[] | undefined,
): readonly Value[] {
  if (asked === undefined) return all
  return asked.map((text) => {
    const value = all.find((each) => String(each) === text)
    if (value === undefined) {
      throw new UsageError(`--${option} is "${text}"; expected one of ${all.join(', ')}`)
    }
    return value
  })
}

const MANY = { type: 'string', multiple: true } as const

await runScript(import.meta, {
  help: HELP,
  options: {
    page: MANY,
    locale: MANY,
    width: MANY,
    scheme: MANY,
    height: { type: 'string' },
    out: { type: 'string' },
    example: { type: 'boolean' },
  },
  async run({ values }) {
    const names = PAGES.map((page) => nameOf(page.path))
    const pages = chosen('page', names, values.page)
    const locales = chosen('locale', LOCALES, values.locale)
    const widths = chosen('width', WIDTHS, values.width)
    const schemes = chosen('scheme', SCHEMES, values.scheme)
    const height = values.height === undefined ? undefined : Number(values.height)
    if (height !== undefined && !(Number.isInteger(height) && height > 0)) {
      throw new UsageError(`--height is "${values.height}"; expected a number of pixels`)
    }
    const executablePath = findChromium()
    if (executablePath === undefined) {
      process.stderr.write(`${formatErrorLine(NO_CHROMIUM)}\n`)
      return 1
    }
    const folder = values.out ?? mkdtempSync(path.join(tmpdir(), 'screenshots-'))
    mkdirSync(folder, { recursive: true })
    const shots = pages.flatMap((name) =>
      locales.flatMap((locale) =>
        widths.flatMap((width) =>
          schemes.map((scheme) => ({
            page: PAGES.find((page) => nameOf(page.path) === name)?.path ?? '',
            locale,
            width,
            scheme,
          })),
        ),
      ),
    )
    await takeAll(executablePath, shots, { folder, isExample: values.example === true, height })
    process.stdout.write(`${shots.length} pictures are in ${folder}\n`)
    return 0
  },
})
