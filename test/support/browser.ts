import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, type TestContext } from 'node:test'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'
import { listen } from '../../src/http/connection/listener.ts'
import {
  CHROMIUM_ARGUMENTS,
  chromiumHome,
  findChromium,
  LOOPBACK_ONLY,
  NO_CHROMIUM,
} from './find-chromium.ts'
import { closeServer } from './loopback-server.ts'
import type { TestScope } from './test-scope.ts'

/** A page in its own context: without cookies, caches or storage of another test. */
export interface OpenedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** Uncaught exceptions of the page's scripts and its console errors so far; a test may empty it. */
  readonly errors: string[]
}

/** Chromium, for the tests of a file. */
export interface TestBrowser {
  /** Opens an empty page; it is closed with its context when the test ends. */
  openPage(t: TestScope, options?: BrowserContextOptions): Promise<OpenedPage>
  /**
   * Opens an empty page in its own browser, whose caches are files of a new profile. Both are removed when the test
   * ends. Its requests to other machines are refused, and `takeOutside` does not list them.
   */
  openPageWithDiskCache(t: TestContext): Promise<OpenedPage>
  /**
   * Requests of pages to other machines since the last call, such as `GET http://example.test/a` or `CONNECT
   * example.test:443`. They were refused. Remaining ones fail the file at its end.
   */
  takeOutside(): readonly string[]
}

const PROGRAM = findChromium()

/** Why no browser can be used; undefined if one can. Fits as `{ skip }` of a test. */
export const browserMissing = PROGRAM === undefined ? NO_CHROMIUM : undefined

/** Most scripts of a test run for a fraction of a second: optimizing them takes longer than it saves. */
const NO_OPTIMIZER = '--js-flags=--no-opt,--no-maglev'

/** The pages of a context share a process: a page stays in that of the empty page that it was opened as. */
const ONE_PROCESS = '--renderer-process-limit=1'

/** For actions and loads, and for the start of the browser, next to other tests on a slow machine. */
const TIMEOUT_MS = 60_000

/** Hosts that bypass the proxy. */
const LOOPBACK = '127.0.0.1,localhost'

/** Requests that Chromium itself sends to Google about every form. */
const OF_THE_BROWSER = 'CONNECT content-autofill.googleapis.com:443'

/** A proxy that refuses all it is asked for, and remembers it. */
async function openRefusingProxy() {
  const outside: string[] = []
  const note = ({ method, url }: IncomingMessage): void => {
    const asked = `${method} ${url}`
    if (asked !== OF_THE_BROWSER) outside.push(asked)
  }
  const server = createServer((request, response) => {
    note(request)
    response.writeHead(403, { 'Content-Length': 0, Connection: 'close' }).end()
  })
  server.on('connect', (request, socket) => {
    note(request)
    socket.on('error', () => socket.destroy())
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
  })
  const port = await listen(server, 0, '127.0.0.1')
  const address = `http://127.0.0.1:${port}`
  return { outside, address, close: () => closeServer(server) }
}

type RefusingProxy = Awaited<ReturnType<typeof openRefusingProxy>>

async function openPageIn(context: BrowserContext): Promise<OpenedPage> {
  context.setDefaultTimeout(TIMEOUT_MS)
  const errors: string[] = []
  context.on('weberror', (error) => errors.push(String(error.error())))
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  const page = context.pages()[0] ?? (await context.newPage())
  return { page, context, errors }
}

/** Chromium with a home of its own. */
interface SharedBrowser {
  readonly browser: Browser
  launchPersistent(): Promise<BrowserContext>
  close(): Promise<void>
}

/** Fonts that the tests bring along, so that widths of texts are the same on every machine. */
export type TestFonts = 'wide' | 'narrow'

const FONTS: {
  readonly [fonts in TestFonts]: { readonly folder: string; readonly names: readonly string[] }
} = {
  wide: { folder: 'dejavu-fonts-ttf/ttf', names: ['DejaVu Sans', 'DejaVu Sans Mono'] },
  narrow: { folder: '@expo-google-fonts/pt-sans-narrow', names: ['PT Sans Narrow'] },
}

/** For the letters that neither has. It has Latin ones too, so the others are preferred by name. */
const THAI_FONTS = '@expo-google-fonts/noto-sans-thai'

/** Environment of a Chromium that knows only these fonts, by fontconfig. */
function fontEnvironment(home: string, fonts: TestFonts) {
  const file = path.join(home, 'fonts.conf')
  const { folder, names } = FONTS[fonts]
  const [text = '', mono = text] = names
  const prefer = (mode: string, name: string, test = ''): string =>
    `<match>${test}<edit name="family" mode="${mode}" binding="strong"><string>${name}</string></edit></match>`
  const rules = [
    prefer('prepend', mono, '<test name="family"><string>monospace</string></test>'),
    prefer('append', text),
  ]
  const folders = [folder, THAI_FONTS]
    .map((name) => path.resolve(import.meta.dirname, '../../node_modules', name))
    .map((each) => `<dir>${each}</dir>`)
  writeFileSync(
    file,
    `<?xml version="1.0"?><fontconfig>${[...folders, ...rules].join('')}<cachedir>${home}/fonts</cachedir></fontconfig>\n`,
  )
  return { FONTCONFIG_FILE: file }
}

async function openBrowser(executablePath: string, fonts?: TestFonts): Promise<SharedBrowser> {
  const home = mkdtempSync(path.join(tmpdir(), 'browser-'))
  // Chromium contacts its maker whatever its arguments say, so its own requests are kept apart from those of pages.
  const own = await openRefusingProxy()
  const options = {
    executablePath,
    // Names are not looked up, should anything pass the proxy by.
    args: [...CHROMIUM_ARGUMENTS, LOOPBACK_ONLY, NO_OPTIMIZER, ONE_PROCESS],
    timeout: TIMEOUT_MS,
    proxy: { server: own.address, bypass: LOOPBACK },
    env: {
      ...process.env,
      ...chromiumHome(home),
      ...(fonts === undefined ? {} : fontEnvironment(home, fonts)),
    },
  }
  const browser = await chromium.launch(options)
  return {
    browser,
    launchPersistent: () =>
      chromium.launchPersistentContext(mkdtempSync(path.join(home, 'profile-')), options),
    async close() {
      await browser.close()
      await own.close()
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** One Chromium for each set of fonts serves all files of a process; the last of them ends it. */
const sharedByFonts = new Map<
  TestFonts | undefined,
  { users: number; opening?: Promise<SharedBrowser> }
>()

/**
 * Starts Chromium before the tests of the calling file, and ends it after them. Does nothing without Chromium: pass
 * `{ skip: browserMissing }` to the tests. With `fonts` it knows these alone instead of the machine's.
 */
export function useBrowser({ fonts }: { readonly fonts?: TestFonts } = {}): TestBrowser {
  const shared = sharedByFonts.get(fonts) ?? { users: 0 }
  sharedByFonts.set(fonts, shared)
  let opened: SharedBrowser | undefined
  let ofPages: RefusingProxy | undefined
  shared.users += 1

  before(async () => {
    if (PROGRAM === undefined) return
    ofPages = await openRefusingProxy()
    opened = await (shared.opening ??= openBrowser(PROGRAM, fonts))
  })

  after(async () => {
    shared.users -= 1
    if (shared.users === 0) await (await shared.opening)?.close()
    await ofPages?.close()
    assert.deepEqual(ofPages?.outside ?? [], [], 'a page tried to leave the loopback')
  })

  function requireBrowser(): SharedBrowser {
    if (opened === undefined) throw new Error('There is no browser')
    return opened
  }

  return {
    async openPage(t, options = {}) {
      const { browser } = requireBrowser()
      const proxy = { server: ofPages?.address ?? '', bypass: LOOPBACK }
      const context = await browser.newContext({ ...options, proxy })
      t.after(() => context.close())
      return openPageIn(context)
    },
    async openPageWithDiskCache(t) {
      const context = await requireBrowser().launchPersistent()
      t.after(() => context.close())
      return openPageIn(context)
    },
    takeOutside: () => ofPages?.outside.splice(0) ?? [],
  }
}
