import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { createSeededRandom } from '../support/seeded-random.ts'
import { startCacheRig } from './cache-behavior.ts'
import { askCache } from './cache-reader.ts'
import {
  ageSecondsOf,
  chainOf,
  describeChain,
  LAYERS,
  LONGEST_AGE_SECONDS,
  type Layer,
} from './documented-chain.ts'

describe('every pair', () => {
  for (const outer of LAYERS) for (const inner of LAYERS) describeChain([outer, inner])
})

/** Apache and Caddy store nothing. */
const CACHES = LAYERS.filter((layer) => layer !== 'Apache' && layer !== 'Caddy')
const TARGET = READ_PATHS.status
/** Around the ends of lifetimes, where the oldest response is handed on. */
const PAUSES_SECONDS = [5, 30, 55, 59, 62, 118, 180, 240, 298, 340, 355, 358] as const
const READS = 250
const LIFETIME_SECONDS = 60
const BEGIN_MS = 50

/** The greatest age at which a reader got a response, while others read at every layer. */
async function measureOldest(
  t: Parameters<typeof startCacheRig>[0],
  { start }: ReturnType<typeof chainOf>,
): Promise<number> {
  const rig = await startCacheRig(t, start)
  const random = createSeededRandom(20_261_128)
  const oneOf = <Item>(items: readonly Item[]) => items[random(items.length)] ?? assert.fail()
  const etag = (await rig.ask(TARGET)).header('etag') ?? assert.fail('no ETag')
  const readers = [{}, { 'Accept-Encoding': 'gzip' }, { 'If-None-Match': etag }]
  let oldest = 0
  for (let count = 0; count < READS; count += 1) {
    await rig.pass(oneOf(PAUSES_SECONDS))
    if (random(3) === 0) await askCache(oneOf(rig.ports), TARGET, { headers: oneOf(readers) })
    const response = await rig.ask(TARGET, { headers: oneOf(readers) })
    assert.equal(typeof (await rig.judge(response)), 'object')
    const age = ageSecondsOf(response, rig.clock.nowMs())
    oldest = Math.max(oldest, age)
    // A cache that sent a stale response asks for the next one in the background, and may not have begun to.
    if (age > LIFETIME_SECONDS) await sleep(BEGIN_MS)
  }
  return oldest
}

describe('layers add up', () => {
  const README = readFileSync('docs/caches/README.md', 'utf8')
  const pairs = CACHES.flatMap((outer) => CACHES.map((inner): readonly Layer[] => [outer, inner]))
  const triples = CACHES.flatMap((first) => pairs.map((pair) => [first, ...pair]))
  for (const layers of [...CACHES.map((layer) => [layer]), ...pairs, ...triples]) {
    const chain = chainOf(layers)
    test(`${chain.name}: no older than the table says`, { skip: chain.missing }, async (t) => {
      const [, said] = new RegExp(`\\| ${layers.join(' → ')} \\| (\\d+) s \\|`).exec(README) ?? []
      const limit = layers.length < 3 ? Number(said) : LONGEST_AGE_SECONDS - 1
      let oldest = await measureOldest(t, chain)
      // On a busy machine the clock may be put forward before a background fetch ends, which makes its response older than
      // it is. What is too old once more is.
      if (oldest > limit) oldest = await measureOldest(t, chain)
      t.diagnostic(`| ${layers.join(' → ')} | ${Math.ceil(oldest)} s |`)
      assert.ok(oldest <= limit, `${oldest} s, at most ${limit} s`)
    })
  }
})
