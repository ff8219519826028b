import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createClient } from '@public-api/client-internal/client'
import type { Fetch } from '@public-api/client-internal/connection'
import { key } from '../client/scripted-client.ts'
import { runApp, TEST_NOW_MS } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { foreignFile, reportPackage, skip } from './foreign-programs.ts'

/** Older than the lifetime of a stored response, so that a cache asks again, and than what the client accepts. */
const PAUSE_MS = 100_000
const MAX_AGE_SECONDS = 90

type Asked = Parameters<Fetch>[1]

async function moduleOf<Module>(name: string, ...parts: readonly string[]): Promise<Module> {
  const file = pathToFileURL(foreignFile(name, ...parts)).href
  return (await import(file)) as Module
}

interface Undici {
  readonly default: {
    readonly fetch: (url: string, init: object) => ReturnType<Fetch>
    readonly interceptors: { cache(): unknown }
    readonly Agent: new () => { compose(interceptor: unknown): { close(): Promise<void> } }
  }
}

async function undici(t: TestContext, name: string, more: object = {}): Promise<Fetch> {
  const { default: library } = await moduleOf<Undici>(name, 'index.js')
  const dispatcher = new library.Agent().compose(library.interceptors.cache())
  t.after(() => dispatcher.close())
  return async (url, { headers, ...init }) =>
    library.fetch(url, { ...init, headers: { ...headers, ...more }, dispatcher })
}

/** A response of a library that has no fetch. */
function responseOf(status: number, fields: object, body: Uint8Array<ArrayBuffer>): Response {
  const headers = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return new Response(status === 304 ? null : body, { status, headers })
}

interface Got {
  default(
    url: string,
    options: object,
  ): Promise<{ statusCode: number; headers: object; body: Uint8Array<ArrayBuffer> }>
}

async function got(): Promise<Fetch> {
  const { default: library } = await moduleOf<Got>('got', 'dist', 'source', 'index.js')
  const cache = new Map()
  return async (url, { method, headers, signal }: Asked) => {
    const plain = { throwHttpErrors: false, followRedirect: false, responseType: 'buffer' }
    const found = await library(url, { ...plain, method, headers, signal, cache })
    return responseOf(found.statusCode, found.headers, new Uint8Array(found.body))
  }
}

interface MakeFetchHappen {
  readonly default: (
    url: string,
    init: object,
  ) => Promise<{ status: number; headers: Iterable<[string, string]>; buffer(): Promise<Buffer> }>
}

async function makeFetchHappen(t: TestContext): Promise<Fetch> {
  const { default: library } = await moduleOf<MakeFetchHappen>('make-fetch-happen', 'lib/index.js')
  const cachePath = temporaryFolder(t)
  return async (url, init) => {
    const found = await library(url, { ...init, cachePath })
    const body = new Uint8Array(await found.buffer())
    return responseOf(found.status, Object.fromEntries(found.headers), body)
  }
}

interface Axios {
  readonly default: { create(): unknown }
}
interface AxiosCache {
  setupCache(axios: unknown): {
    request(options: object): Promise<{ status: number; headers: object; data: Buffer }>
  }
}

async function axios(): Promise<Fetch> {
  const { default: library } = await moduleOf<Axios>('axios', 'index.js')
  const interceptor = ['axios-cache-interceptor', 'dist', 'index.mjs'] as const
  const { setupCache } = await moduleOf<AxiosCache>(...interceptor)
  const cached = setupCache(library.create())
  const plain = { validateStatus: () => true, maxRedirects: 0, responseType: 'arraybuffer' }
  return async (url, { method, headers, signal }) => {
    const found = await cached.request({ ...plain, url, method, headers, signal })
    return responseOf(found.status, { ...found.headers }, new Uint8Array(found.data))
  }
}

const FRESH = ['0', '0', '0', '0']
/** A cache that gives the stored response without the proof of the 304. The client then reads past it. */
const CACHES: readonly (readonly [
  name: string,
  open: (t: TestContext) => Promise<Fetch>,
  reads: readonly string[],
  more?: string,
])[] = [
  ...['undici', 'undici-7'].flatMap((name): (typeof CACHES)[number][] => [
    [name, (t) => undici(t, name), ['0', '0 REFETCHED', '0', '0']],
    [name, (t) => undici(t, name, { 'Cache-Control': 'no-store' }), FRESH, ' with no-store'],
  ]),
  ['got', got, ['0', '0 REFETCHED', '0 REFETCHED', '0 REFETCHED']],
  ['make-fetch-happen', makeFetchHappen, FRESH],
  ['axios-cache-interceptor', axios, FRESH],
]

for (const [name, open, expected, more = ''] of CACHES) {
  test(`a client over the cache of ${name}${more} gives what is proven`, { skip }, async (t) => {
    reportPackage(t, name)
    t.mock.timers.enable({ apis: ['Date'], now: TEST_NOW_MS })
    const app = await runApp(t, { clock: { nowMs: Date.now } })
    const client = createClient({
      baseUrl: app.origin,
      pinnedKeyIds: [key.keyId],
      maxAgeSeconds: MAX_AGE_SECONDS,
      fetch: await open(t),
    })
    const reads: string[] = []
    for (let count = 0; count < expected.length; count += 1) {
      const { ageSeconds, warnings } = await client.status()
      reads.push([ageSeconds, ...warnings.map((warning) => warning.split(':')[0])].join(' '))
      t.mock.timers.tick(PAUSE_MS)
    }
    assert.deepEqual(reads, expected)
  })
}
