import { verifyCopyProof } from '@public-api/client-internal/copies/copy-proof'
import { forEachSome } from '@public-api/client-internal/for-each-some'
import { digestOf } from '@public-api/client-internal/log/log-entry'
import { VerificationError } from '@public-api/client-internal/verification-error'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { COPY_FILES_SCHEMA } from '@public-api/contract/http/copy-files'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { HEADERS } from '@public-api/contract/terms/headers'
import type { Received } from '../verifying/requests.ts'
import { ageOf } from '../verifying/sanitize-for-terminal.ts'
import type { DoctorSettings } from './check.ts'
import { DOCTOR_BOUNDS } from './doctor-bounds.ts'
import type { FindingId } from './finding-catalog.ts'
import type { Report } from './findings.ts'

const CONCURRENCY = 4
/** Files that visitors do not ask for: hosts read or hide them. */
const OF_THE_HOST = new Set(['_headers', '.nojekyll', 'serve.json'])
const NOT_FOUND = '404.html'
/** An address for which a host has nothing. */
const UNKNOWN = 'doctor-asks-for-nothing'
/** A page by the address that links name, without a slash. */
const PAGE = 'en/status'
/** A file that svc site may write. Anyone who controls the host can write another name into the list. */
const OWN_NAME = /^(?!.*(?:^|\/)\.{0,2}(?:\/|$))[\w.~/-]+$/

/** Media types of files; the first pattern that fits counts. */
const TYPES: readonly (readonly [file: RegExp, type: RegExp, expected: string])[] = [
  [/^log\/tile\//, /^application\/octet-stream$/, 'application/octet-stream'],
  [/^log\/|\.txt$/, /^text\/plain$/, 'text/plain'],
  [/\.html$/, /^text\/html$/, 'text/html'],
  [/\.json$/, /^application\/(?:feed\+)?json$/, 'application/json'],
  [/\.md$/, /^text\/(?:markdown|plain)$/, 'text/markdown'],
  [/\.atom$/, /^application\/atom\+xml$/, 'application/atom+xml'],
  [/\.ics$/, /^text\/calendar$/, 'text/calendar'],
  [/\.css$/, /^text\/css$/, 'text/css'],
  [/\.js$/, /^(?:text|application)\/javascript$/, 'text/javascript'],
  [/\.svg$/, /^image\/svg\+xml$/, 'image/svg+xml'],
  [/\.png$/, /^image\/png$/, 'image/png'],
  [/\.ico$/, /^image\/(?:x-icon|vnd\.microsoft\.icon)$/, 'image/x-icon'],
  [/\.xml$/, /^(?:application|text)\/xml$/, 'application/xml'],
  [/^\.well-known\/api-catalog$/, /^application\/linkset\+json$/, 'application/linkset+json'],
]

/** Programs of other origins read these. */
const DATA = /^(?:now\.json$|archive\/|log\/|statuspage\/|api\/)/
/** These name what is the newest. The others of the archive and the log never change. */
const NEWEST = /^(?:now\.json|archive\/versions\.json|log\/checkpoint)$/
const UNCHANGING = /^(?:assets|cards|archive|log\/tile)\//

/** What a copy has in place of a redacted resource. */
const REDACTED = /\.redacted\.json$/

/** What it means that a host sends something else for a file. */
function missingId(file: string): FindingId {
  if (file === NOT_FOUND) return 'copy-fallback'
  return file.startsWith('.') ? 'copy-hidden' : 'copy-missing'
}

/** How long caches may keep a response, in seconds; undefined if it does not say. */
function lifetimeOf(cacheControl: string | undefined): number | undefined {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl ?? '')) return 0
  const ages = [...(cacheControl ?? '').matchAll(/(?:s-maxage|max-age)=(\d+)/gi)]
  return ages.length === 0 ? undefined : Math.max(...ages.map(([, seconds]) => Number(seconds)))
}

function inspectHeaders(file: string, where: string, { field }: Received, report: Report): void {
  const found = field(HEADERS.contentType) ?? 'no Content-Type'
  const [mediaType = ''] = found.toLowerCase().split(';')
  const [, type, expected] = TYPES.find(([pattern]) => pattern.test(file)) ?? []
  if (type !== undefined && !type.test(mediaType.trim())) {
    report('copy-type', where, `${found}, expected ${expected}`)
  }
  const allowed = field(HEADERS.accessControlAllowOrigin)
  if (DATA.test(file) && allowed !== '*') report('copy-cors', where, allowed ?? 'no header')
  const cacheControl = field(HEADERS.cacheControl)
  const isNewest = NEWEST.test(file)
  const seconds = lifetimeOf(cacheControl) ?? (isNewest ? Infinity : 0)
  if ((isNewest || !UNCHANGING.test(file)) && seconds > DOCTOR_BOUNDS.copyCacheSeconds) {
    report('copy-cached', where, cacheControl ?? 'no Cache-Control')
  }
}

/** A digest of each file in the list of `svc site`; undefined if it is not one. */
function listedFiles(
  body: Uint8Array,
): readonly (readonly [file: string, digest: string])[] | undefined {
  const list = parseJson(body)
  const files = propertyOf(list, 'files')
  if (propertyOf(list, 'schema') !== COPY_FILES_SCHEMA || typeof files !== 'object')
    return undefined
  return Object.entries(files ?? {}).flatMap(([file, written]) => {
    const digest: unknown = Array.isArray(written) ? written[0] : undefined
    return typeof digest === 'string' && !OF_THE_HOST.has(file) ? [[file, digest] as const] : []
  })
}

/** Reads and verifies `now.json`; undefined if it is missing or not valid, which is reported. */
async function readProof(
  body: Uint8Array,
  { origin, pinnedKeyIds = [], nowMs, newest }: MirrorSettings,
  where: string,
  report: Report,
): Promise<VersionEntry | undefined> {
  try {
    const proof = await verifyCopyProof(body, { origin, pinnedKeyIds, nowMs })
    const { entry, provedAtMs } = proof
    await proof.verifyResources()
    const ageSeconds = (nowMs - provedAtMs) / 1000
    if (ageSeconds > DOCTOR_BOUNDS.copyAgeSeconds) {
      const [provedAt, dueAt] = [
        provedAtMs,
        provedAtMs + DOCTOR_BOUNDS.copyRefreshSeconds * 1000,
      ].map((ms) => new Date(ms).toISOString())
      const found = `proven ${ageOf(ageSeconds)} ago, at ${provedAt}; the next refresh was due by ${dueAt}`
      report('copy-old', where, found)
    }
    if (newest !== undefined && newest !== entry.snapshotId) {
      report('copy-behind', where, `${entry.snapshotId}; the service has ${newest}`)
    }
    return entry
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error
    report('copy-proof', where, error.message)
    return undefined
  }
}

/** A copy of the deployment at a URL with a slash at its end, the newest version of the service if it responded, and the time. */
interface MirrorSettings extends Pick<
  DoctorSettings,
  'origin' | 'ask' | 'pinnedKeyIds' | 'readsAllFiles'
> {
  readonly mirror: string
  readonly nowMs: number
  readonly newest: string | undefined
}

/** Checks a static copy: how old it is, whether its files are there and unchanged, and how its host sends them. */
export async function checkMirror(settings: MirrorSettings, report: Report): Promise<undefined> {
  const { origin: host, pathname } = new URL(settings.mirror)

  /** Reads a file, and reports what is wrong. Resolves with its bytes unless it is missing. */
  async function readFile(file: string, digest?: string): Promise<Uint8Array | undefined> {
    const isNotFound = file === NOT_FOUND
    // Hosts send a page for the address of its folder.
    const address = isNotFound ? UNKNOWN : file.replace(/(^|\/)index\.html$/, '$1')
    const target = pathname + address
    const where = host + target
    const headers = { 'Accept-Encoding': 'identity' }
    const response = await settings.ask({ method: 'GET', target, headers, origin: host })
    const { status, body } = response
    const expected = isNotFound ? 404 : 200
    if (status !== expected) {
      const isRedirect = status >= 300 && status < 400
      const to = isRedirect ? ` to ${response.field('Location')}` : ''
      const id = isRedirect ? 'copy-redirect' : missingId(file)
      report(id, where, `status ${status}${to}, expected ${expected}`)
      return undefined
    }
    if (!isNotFound) inspectHeaders(file, where, response, report)
    if (digest !== undefined && (await digestOf(body)) !== digest) {
      const id = isNotFound ? 'copy-not-found-page' : 'copy-changed'
      report(id, where, `${body.length} bytes with another SHA-256`)
    }
    return body
  }

  /** Links name pages without a slash; hosts send the page, or lead to the address with one. */
  async function readPage(): Promise<void> {
    const target = pathname + PAGE
    const { status, field } = await settings.ask({ method: 'GET', target, origin: host })
    const to = new URL(field('Location') ?? target, host + target).pathname
    const isRight = status === 200 || (status >= 300 && status < 400 && to === `${target}/`)
    if (!isRight) report('copy-slashless', host + target, `status ${status}, to ${to}`)
  }

  /** Reports a resource that was redacted and is still there, as after an upload that removes nothing. */
  async function readRedacted(file: string): Promise<void> {
    const target = pathname + file.replace(REDACTED, '.json')
    const { status, body } = await settings.ask({ method: 'GET', target, origin: host })
    if (status === 200 && target.endsWith(`/${await digestOf(body)}.json`)) {
      report('copy-kept', host + target, 'the bytes that were redacted')
    }
  }

  const proof = await readFile('now.json')
  const entry = proof && (await readProof(proof, settings, `${settings.mirror}now.json`, report))
  const wanted = new Map<string, string>()
  const list = await settings.ask({ method: 'GET', target: `${pathname}site.json`, origin: host })
  // A copy by `svc mirror` has none.
  const found = list.status === 200 ? listedFiles(list.body) : []
  if (found === undefined) {
    report('copy-changed', `${settings.mirror}site.json`, 'not the list that svc site writes')
  }
  const foreign = (found ?? []).filter(([file]) => !OWN_NAME.test(file))
  if (foreign.length > 0) {
    const names = foreign.slice(0, 3).map(([file]) => JSON.stringify(file.slice(0, 60)))
    const message = `names ${foreign.length} files that no copy has, such as ${names.join(', ')}`
    report('copy-changed', `${settings.mirror}site.json`, message)
  }
  const listed = (found ?? []).filter(([file]) => OWN_NAME.test(file))
  if (listed.some(([file]) => file === `${PAGE}/index.html`)) await readPage()
  for (const [file] of listed) if (REDACTED.test(file)) await readRedacted(file)
  // The list is in the order of writing: feeds, lists and pages of the site are last, and before them pages of the oldest versions.
  const read = listed.slice(settings.readsAllFiles === true ? 0 : -DOCTOR_BOUNDS.copyFiles)
  for (const [file, digest] of read) wanted.set(file, digest)
  if (read.length < listed.length) {
    report('copy-partly-read', settings.mirror, `${read.length} of ${listed.length} files`)
  }
  if (entry !== undefined) {
    // What the service signed counts more than the list, which anyone can write.
    const version = new TextEncoder().encode(canonicalJson({ ...entry }))
    wanted.set(`archive/versions/${entry.snapshotId}.json`, await digestOf(version))
    for (const [name, digest] of Object.entries(entry.resources)) {
      wanted.set(`archive/resources/${name}/${digest}.json`, digest)
    }
  }
  await forEachSome([...wanted], { concurrency: CONCURRENCY, signal: undefined }, async (each) => {
    await readFile(...each)
  })
  return undefined
}
