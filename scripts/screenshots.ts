import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { UsageError } from '@public-api/cli-kit/command'
import { formatErrorLine } from '@public-api/cli-kit/error-line'
import { parseChoice, parseWholeNumber } from '@public-api/cli-kit/option-values'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import { chromium, type Browser } from 'playwright-core'
import { pathOfPage } from '../src/pages/addresses.ts'
import { PAGES } from '../src/pages/serving/page-table.ts'
import {
  CHROMIUM_ARGUMENTS,
  chromiumHome,
  findChromium,
  LOOPBACK_ONLY,
  NO_CHROMIUM,
} from './find-chromium.ts'
import { runScript } from './script-main.ts'

const WIDTHS = ['360', '768', '1280', '1600']
const SCHEMES = ['light', 'dark'] as const
const PIXELS = { unit: 'pixels', least: 100, most: 10_000 }

const HELP = `Usage: npx node scripts/screenshots.ts URL [--page PATH]... [--locale LOCALE]... [--width PX]...
                                   [--scheme SCHEME]... [--height PX] [--out FOLDER]

Takes a picture of each whole page of a service on this machine, such as one that npm run demo started, in each locale
(${LOCALES.join(', ')}), width (${WIDTHS.join(', ')}) and scheme (${SCHEMES.join(', ')}).

  --page     path of a page below the locale, overview for the first one; all pages unless given
  --locale   all three unless given
  --width    viewport width in pixels; the four unless given
  --scheme   both unless given
  --height   takes a window of this height in pixels, not the whole page
  --out      folder for the pictures; a new one below the system's temporary folder unless given
  --help     shows this

Needs a chromium on the PATH.

Exit code: 0 done, 1 no chromium was found, 2 wrong usage.
`

/** One picture to take. */
interface Shot {
  /** Path of the page below the locale. */
  readonly page: string
  readonly locale: Locale
  readonly width: number
  readonly scheme: (typeof SCHEMES)[number]
}

const nameOf = (page: string): string => (page === '' ? 'overview' : page.replaceAll('/', '-'))

async function take(
  browser: Browser,
  origin: string,
  { page: pagePath, locale, width, scheme }: Shot,
  { folder, height }: { readonly folder: string; readonly height: number | undefined },
): Promise<void> {
  const file = `${nameOf(pagePath)}-${locale}-${width}-${scheme}.png`
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
    if (excess > 0) process.stdout.write(`${file} is ${excess} px wider than its window\n`)
    await page.screenshot({ path: path.join(folder, file), fullPage: height === undefined })
  } finally {
    await context.close()
  }
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
  },
  takesArguments: true,
  async run({ values, positionals: [url = '', ...others] }) {
    if (!URL.canParse(url) || others.length > 0) throw new UsageError('expected one URL')
    const names = PAGES.map((page) => nameOf(page.path))
    const pages = values.page?.map((name) => parseChoice('--page', name, names)) ?? names
    const locales = values.locale?.map((each) => parseChoice('--locale', each, LOCALES)) ?? LOCALES
    const schemes = values.scheme?.map((each) => parseChoice('--scheme', each, SCHEMES)) ?? SCHEMES
    const widths = (values.width ?? WIDTHS).map((each) => parseWholeNumber('--width', each, PIXELS))
    const height =
      values.height === undefined ? undefined : parseWholeNumber('--height', values.height, PIXELS)
    const executablePath = findChromium()
    if (executablePath === undefined) {
      process.stderr.write(`${formatErrorLine(NO_CHROMIUM)}\n`)
      return 1
    }
    const folder = values.out ?? mkdtempSync(path.join(tmpdir(), 'screenshots-'))
    mkdirSync(folder, { recursive: true })
    const shots = PAGES.filter((page) => pages.includes(nameOf(page.path))).flatMap((page) =>
      locales.flatMap((locale) =>
        widths.flatMap((width) =>
          schemes.map((scheme): Shot => ({ page: page.path, locale, width, scheme })),
        ),
      ),
    )
    const home = mkdtempSync(path.join(tmpdir(), 'screenshots-browser-'))
    const args = [...CHROMIUM_ARGUMENTS, LOOPBACK_ONLY]
    const env = { ...process.env, ...chromiumHome(home) }
    const browser = await chromium.launch({ executablePath, args, env })
    try {
      for (const shot of shots) await take(browser, new URL(url).origin, shot, { folder, height })
    } finally {
      await browser.close()
      rmSync(home, { recursive: true, force: true })
    }
    process.stdout.write(`${shots.length} pictures are in ${folder}\n`)
    return 0
  },
})
