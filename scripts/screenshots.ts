import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatErrorLine } from '@public-api/command/error-line'
import { LOCALES, type Locale } from '@public-api/contract/registry/locales'
import { chromium, type Browser } from 'playwright-core'
import { startService } from '../bench/processes.ts'
import { openWorkspace } from '../bench/workspace.ts'
import { PAGES } from '../src/pages/page-table.ts'
import { pathOfPage } from '../src/pages/page.ts'
import { buildExample } from './build-example.ts'
import {
  CHROMIUM_ARGUMENTS,
  chromiumHome,
  findChromium,
  LOOPBACK_ONLY,
  NO_CHROMIUM,
} from './find-chromium.ts'
import { runScript, ScriptUsageError } from './script-main.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DOCS_DIR = path.join(ROOT, 'docs', 'screenshots')

const WIDTHS = [360, 768, 1280, 1920] as const
const SCHEMES = ['light', 'dark'] as const

const HELP = `Usage: npx node scripts/screenshots.ts [--page PATH]... [--locale LOCALE]... [--width PX]... [--scheme SCHEME]...
                                   [--example] [--out FOLDER]
       npx node scripts/screenshots.ts --docs

Starts the service on loopback with this project's releases and takes a picture of each whole page in each locale
(${LOCALES.join(', ')}), width (${WIDTHS.join(', ')}) and scheme (${SCHEMES.join(', ')}), for looking at.

  --page     path of a page below the locale, overview for the first one; all pages unless given
  --locale   all three unless given
  --width    viewport width in pixels; the four unless given
  --scheme   both unless given
  --example  the releases of the example organization instead
  --out      folder for the pictures; a new one below the system's temporary folder unless given
  --docs     replaces docs/screenshots: a few windows of the example organization, not whole pages
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
  /** Height of the window; undefined: the whole page. */
  readonly height?: number
}

const DESKTOP = { width: 1280, height: 900 } as const
const PHONE = { width: 360, height: 780 } as const

/** The screenshots of docs/: each important page once, and each locale, width and color scheme at least once. */
const DOCS_SHOTS: readonly Shot[] = [
  { page: '', locale: 'en', scheme: 'light', ...DESKTOP },
  { page: '', locale: 'th', scheme: 'dark', ...PHONE },
  { page: 'status', locale: 'zh-CN', scheme: 'light', ...DESKTOP },
  { page: 'status', locale: 'th', scheme: 'light', ...PHONE },
  { page: 'roadmap', locale: 'th', scheme: 'light', ...DESKTOP },
  { page: 'architecture', locale: 'en', scheme: 'dark', ...DESKTOP },
  { page: 'reference/snapshots', locale: 'en', scheme: 'light', ...DESKTOP },
  { page: 'verify', locale: 'zh-CN', scheme: 'dark', ...DESKTOP },
]

const nameOf = (page: string): string => (page === '' ? 'overview' : page.replaceAll('/', '-'))

function fileOf({ page, locale, width, scheme }: Shot): string {
  return `${nameOf(page)}-${locale}-${width}-${scheme}.png`
}

async function take(browser: Browser, origin: string, shot: Shot, file: string): Promise<void> {
  const { page: pagePath, locale, width, scheme, height } = shot
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

async function takeAll(
  executablePath: string,
  shots: readonly Shot[],
  { folder, isExample }: { readonly folder: string; readonly isExample: boolean },
): Promise<void> {
  const workspace = openWorkspace()
  const releases = isExample ? path.join(workspace.folder, 'releases') : workspace.releasesDir
  if (isExample) await buildExample(path.join(workspace.folder, 'content'), releases)
  const service = await startService(workspace, { SVC_RELEASES_DIR: releases })
  try {
    const home = path.join(workspace.folder, 'browser')
    mkdirSync(home)
    const browser = await chromium.launch({
      executablePath,
      args: [...CHROMIUM_ARGUMENTS, LOOPBACK_ONLY],
      env: { ...process.env, ...chromiumHome(home) },
    })
    try {
      const origin = `http://127.0.0.1:${service.port}`
      for (const shot of shots) await take(browser, origin, shot, path.join(folder, fileOf(shot)))
    } finally {
      await browser.close()
    }
  } finally {
    await service.end()
  }
}

/** The values among `all` that were selected, or all; throws a ScriptUsageError for an unknown one. */
function chosen<Value extends string | number>(
  option: string,
  all: readonly Value[],
  asked: readonly string[] | undefined,
): readonly Value[] {
  if (asked === undefined) return all
  return asked.map((text) => {
    const value = all.find((each) => String(each) === text)
    if (value === undefined) {
      throw new ScriptUsageError(`--${option} is "${text}"; expected one of ${all.join(', ')}`)
    }
    return value
  })
}

/** Takes the chosen few again, in the place of those that are there. */
async function takeDocs(executablePath: string): Promise<void> {
  rmSync(DOCS_DIR, { recursive: true, force: true })
  mkdirSync(DOCS_DIR, { recursive: true })
  const paths = new Set(PAGES.map((page) => page.path))
  await takeAll(
    executablePath,
    DOCS_SHOTS.filter(({ page }) => paths.has(page)),
    { folder: DOCS_DIR, isExample: true },
  )
  process.stdout.write(`Pictures are in ${path.relative(process.cwd(), DOCS_DIR)}\n`)
}

const MANY = { type: 'string', multiple: true } as const

await runScript(import.meta, {
  help: HELP,
  options: {
    page: MANY,
    locale: MANY,
    width: MANY,
    scheme: MANY,
    out: { type: 'string' },
    docs: { type: 'boolean' },
    example: { type: 'boolean' },
  },
  async run({ values }) {
    const names = PAGES.map((page) => nameOf(page.path))
    const pages = chosen('page', names, values.page)
    const locales = chosen('locale', LOCALES, values.locale)
    const widths = chosen('width', WIDTHS, values.width)
    const schemes = chosen('scheme', SCHEMES, values.scheme)
    const executablePath = findChromium()
    if (executablePath === undefined) {
      process.stderr.write(`${formatErrorLine(NO_CHROMIUM)}\n`)
      return 1
    }
    if (values.docs === true) {
      await takeDocs(executablePath)
      return 0
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
    await takeAll(executablePath, shots, { folder, isExample: values.example === true })
    process.stdout.write(`${shots.length} pictures are in ${folder}\n`)
    return 0
  },
})
