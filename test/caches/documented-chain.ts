import assert from 'node:assert/strict'
import { test } from 'node:test'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { SIGNATURE_FIELDS, startCacheRig, type CacheRig } from './cache-behavior.ts'
import type { Asked, CachedResponse } from './cache-reader.ts'
import type { StartCache } from './cache-starter.ts'
import { nginxMissing, startNginx } from './start-nginx.ts'
import { apacheMissing, caddyMissing, startApache, startCaddy } from './start-proxies.ts'
import { squidMissing, startSquid } from './start-squid.ts'
import { startVarnish, varnishMissing } from './start-varnish.ts'

/** Every documented program before the service, and why it cannot run here. */
export const DOCUMENTED = {
  nginx: { start: startNginx, missing: nginxMissing },
  Varnish: { start: startVarnish, missing: varnishMissing },
  Squid: { start: startSquid, missing: squidMissing },
  Apache: { start: startApache, missing: apacheMissing },
  Caddy: { start: startCaddy, missing: caddyMissing },
} as const satisfies {
  readonly [name: string]: { readonly start: StartCache; readonly missing: string | undefined }
}

/** The name of a documented program. */
export type Layer = keyof typeof DOCUMENTED

export const LAYERS: readonly Layer[] = ['nginx', 'Varnish', 'Squid', 'Apache', 'Caddy']

/** Any chain of up to three documented layers stays below it. */
export const LONGEST_AGE_SECONDS = 600

/** Documented programs in a row, the reader's first. */
export function chainOf(layers: readonly Layer[]) {
  const start: StartCache = async (t, servicePort, clock) => {
    const ports: number[] = []
    for (const layer of layers.toReversed()) {
      const { port } = await DOCUMENTED[layer].start(t, ports[0] ?? servicePort, clock)
      ports.unshift(port)
    }
    return { port: ports[0] ?? servicePort, ports }
  }
  return {
    name: layers.join(' before '),
    start,
    /** Why one of them cannot run; undefined where all can. */
    missing: layers
      .map((layer) => DOCUMENTED[layer].missing)
      .find((missing) => missing !== undefined),
  }
}

/** How long ago what a response says was proven last, by its signature or by the 304 that renewed it. */
export function ageSecondsOf({ header }: CachedResponse, nowMs: number): number {
  const [renewed = ''] = header('x-svc-revalidated')?.split(';') ?? []
  const times = [header('x-svc-signed-at') ?? '', renewed].map((time) => Date.parse(time))
  return (nowMs - Math.max(...times.filter((ms) => !Number.isNaN(ms)))) / 1000
}

const TARGET = READ_PATHS.status

/** Requests whose response a cache could make by itself, by name. */
function questionsOf(etag: string, nowMs: number): { readonly [name: string]: Asked } {
  const date = new Date(nowMs).toUTCString()
  const get = (headers: Asked['headers'] = {}) => ({ headers })
  const head = (headers: Asked['headers'] = {}) => ({ method: 'HEAD', headers })
  const range = (spec: string) => ({ Range: `bytes=${spec}` })
  return {
    plain: get(),
    compressed: get({ 'Accept-Encoding': 'gzip' }),
    'the first bytes': get(range('0-99')),
    'the rest of a download': get(range('500-')),
    'the last bytes': get(range('-50')),
    'two parts': get(range('0-9,20-29')),
    'beyond the end': get(range('9999999-')),
    'a part of a tag': get({ ...range('0-99'), 'If-Range': etag }),
    'a part of a date': get({ ...range('0-99'), 'If-Range': date }),
    'a part, compressed': get({ ...range('0-99'), 'Accept-Encoding': 'gzip' }),
    'since a date': get({ 'If-Modified-Since': date }),
    'unless since a date': get({ 'If-Unmodified-Since': 'Thu, 01 Jan 2015 00:00:00 GMT' }),
    'a tag': get({ 'If-None-Match': etag }),
    'a tag and a date': get({ 'If-None-Match': etag, 'If-Modified-Since': date }),
    'any tag': get({ 'If-None-Match': '*' }),
    'several tags': get({ 'If-None-Match': `"x", ${etag}` }),
    'another tag': get({ 'If-None-Match': 'W/"other"' }),
    'a tag and a part': get({ ...range('0-99'), 'If-None-Match': etag }),
    'only a tag': get({ 'If-Match': '"other"' }),
    head: head(),
    'head of a part': head(range('0-99')),
    'head of a date': head({ 'If-Modified-Since': date }),
    'head of a tag': head({ 'If-None-Match': etag }),
  }
}

/** What is wrong with a response to a question. */
async function faultOf(
  rig: CacheRig,
  { headers = {} }: Asked,
  response: CachedResponse,
): Promise<string | undefined> {
  const { status, method, header } = response
  const ranges = header('accept-ranges')
  if (ranges !== undefined) return `Accept-Ranges: ${ranges}`
  if (method === 'HEAD' || status !== 200) {
    const signed = SIGNATURE_FIELDS.filter((name) => header(name) !== undefined)
    if (signed.length > 0) return `${status} with ${signed.join(', ')}`
  }
  // A refusal of what the reader said, by the program, and not signed.
  if (status === 412 && ('If-Match' in headers || 'If-Unmodified-Since' in headers)) return
  if (status !== 200 && (status !== 304 || !('If-None-Match' in headers))) return `status ${status}`
  if (method === 'HEAD') return
  const verdict = await rig.judge(response)
  if (typeof verdict === 'string') return `${status} ${verdict}`
  const age = ageSecondsOf(response, rig.clock.nowMs())
  return age > LONGEST_AGE_SECONDS ? `proven ${age} s ago` : undefined
}

/** What happens between two rounds of questions. */
const EVENTS: readonly (readonly [name: string, happen: (rig: CacheRig) => Promise<void>])[] = [
  ['at first', () => Promise.resolve()],
  ['50 s later', (rig) => rig.pass(50)],
  ['70 s later', (rig) => rig.pass(70)],
  ['another node', (rig) => rig.service.publish(2)],
  ['70 s later', (rig) => rig.pass(70)],
  ['a node with the next version', (rig) => rig.service.publish(3)],
  ['400 s later', (rig) => rig.pass(400)],
  ['the older node again', (rig) => rig.service.publish(2)],
  ['340 s later', (rig) => rig.pass(340)],
]

/** Asks documented programs in a row everything of which caches make responses, while time passes and nodes change. */
export function describeChain(layers: readonly Layer[]): void {
  const { name, start, missing } = chainOf(layers)
  test(`${name}: whole, verified responses to every question`, { skip: missing }, async (t) => {
    const rig = await startCacheRig(t, start)
    const etag = (await rig.ask(TARGET)).header('etag') ?? assert.fail('no ETag')
    const faults: string[] = []
    for (const [event, happen] of EVENTS) {
      await happen(rig)
      for (const [question, asked] of Object.entries(questionsOf(etag, rig.clock.nowMs()))) {
        const fault = await faultOf(rig, asked, await rig.ask(TARGET, asked))
        if (fault !== undefined) faults.push(`${event}, ${question}: ${fault}`)
      }
    }
    assert.deepEqual(faults, [])
  })
}
