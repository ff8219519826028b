import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { actorOf as actorUnder } from '../../../src/service/waitlist/actor.ts'
import { CountersError } from '../../../src/storage/counters/counters.ts'
import { createMemoryCounters } from '../../../src/storage/counters/memory-counters.ts'
import { setClock } from '../../storage/counters/counters-behavior.ts'

const DAY_MS = 86_400_000

function rig() {
  const clock = setClock()
  const counters = createMemoryCounters({ clock })
  const actorOf = (address: string) => actorUnder(address, counters, clock)
  return { clock, counters, actorOf }
}

const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
const groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 })

/** The address as RFC 5952 writes it: the form that the URL parser gives. */
function compressed(parts: readonly number[]): string {
  const full = parts.map((part) => part.toString(16)).join(':')
  return new URL(`http://[${full}]`).hostname.slice(1, -1)
}

function isMapped(parts: readonly number[]): boolean {
  return parts.slice(0, 5).every((part) => part === 0) && parts[5] === 0xffff
}

test('an actor is the HMAC-SHA256 of the address’s bytes under the day’s key', async () => {
  const { actorOf, counters } = rig()
  const actor = await actorOf('192.0.2.7')
  const key = await counters.secret('actor-key:2026-05-01', 0)
  const hmac = (bytes: readonly number[]) =>
    createHmac('sha256', key).update(Uint8Array.from(bytes)).digest('base64url')
  assert.equal(actor, hmac([192, 0, 2, 7]))
  assert.match(actor, /^[A-Za-z0-9_-]{43}$/)
  assert.equal(await actorOf('2001:db8:1:2:3:4:5:6'), hmac([0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 2]))
  assert.equal(await actorOf('::1'), hmac([0, 0, 0, 0, 0, 0, 0, 0]))
})

test('every spelling of an IPv4 address is one actor, and another address is another', async () => {
  const { actorOf } = rig()
  await fc.assert(
    fc.asyncProperty(octets, octets, async (one, other) => {
      const [a, b, c, d] = one
      const hex = (value: number) => value.toString(16)
      const actor = await actorOf(one.join('.'))
      for (const spelling of [
        `::ffff:${one.join('.')}`,
        `::FFFF:${one.join('.')}`,
        `0:0:0:0:0:ffff:${one.join('.')}`,
        `::ffff:${hex(a * 256 + b)}:${hex(c * 256 + d)}`,
        `0000:0000:0000:0000:0000:ffff:${hex(a * 256 + b).padStart(4, '0')}:${hex(c * 256 + d)}`,
        `::ffff:${one.join('.')}%eth0`,
      ]) {
        assert.equal(await actorOf(spelling), actor, spelling)
      }
      assert.equal((await actorOf(other.join('.'))) === actor, other.join('.') === one.join('.'))
    }),
  )
})

test('every spelling of every address in an IPv6 /64 is one actor, and another /64 is another', async () => {
  const { actorOf } = rig()
  await fc.assert(
    fc.asyncProperty(groups, groups, async (one, other) => {
      fc.pre(!isMapped(one) && !isMapped(other))
      const actor = await actorOf(compressed(one))
      const full = one.map((part) => part.toString(16).padStart(4, '0')).join(':')
      const [, , , , , , x = 0, y = 0] = one
      const dotted = [x >> 8, x & 255, y >> 8, y & 255].join('.')
      const neighbor = [...one.slice(0, 4), ...other.slice(4)]
      for (const spelling of [
        full,
        full.toUpperCase(),
        `${full}%eth0`,
        `${compressed(one)}%25`,
        `${one
          .slice(0, 6)
          .map((part) => part.toString(16))
          .join(':')}:${dotted}`,
        ...(isMapped(neighbor) ? [] : [compressed(neighbor)]),
      ]) {
        assert.equal(await actorOf(spelling), actor, spelling)
      }
      const areOneNet = one.slice(0, 4).join(':') === other.slice(0, 4).join(':')
      assert.equal((await actorOf(compressed(other))) === actor, areOneNet)
    }),
  )
})

test('throws for an invalid address without quoting it', async () => {
  const { actorOf } = rig()
  const fixed = [
    '',
    'localhost',
    '192.0.2.7:80',
    '192.0.2.7%eth0',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.07',
    ' 192.0.2.7',
    '[::1]',
    '::1/64',
    '::1%',
    '%eth0',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    '::ffff:1.2.3',
  ]
  const refused = async (text: string) => {
    await assert.rejects(actorOf(text), (error) => {
      assert.ok(error instanceof TypeError, text)
      assert.equal(error.message, 'Expected an IPv4 or IPv6 address')
      return true
    })
  }
  for (const text of fixed) await refused(text)
  await fc.assert(
    fc.asyncProperty(
      fc.string().map((text) => `${text.replaceAll('%', '')}g`),
      refused,
    ),
  )
})

test('an address has a new actor each day, the same in every process', async () => {
  const { actorOf, clock, counters } = rig()
  const startOfDay = Math.floor(clock.now / DAY_MS) * DAY_MS
  const seen = new Set<string>()
  for (let day = 0; day < 4; day += 1) {
    clock.now = startOfDay + day * DAY_MS
    const actor = await actorOf('192.0.2.7')
    seen.add(actor)
    clock.now += DAY_MS - 1
    assert.equal(await actorOf('192.0.2.7'), actor)
    assert.equal(await actorUnder('192.0.2.7', { ...counters }, clock), actor)
  }
  assert.equal(seen.size, 4)
  // Other counters, such as after a restart, have another key.
  assert.ok(!seen.has(await rig().actorOf('192.0.2.7')))
})

test('the daily key is fetched for each request', async () => {
  const { clock, counters } = rig()
  const asked: (readonly [string, number])[] = []
  let isReachable = false
  const watched = {
    async secret(name: string, untilMs: number) {
      asked.push([name, untilMs])
      if (!isReachable) throw new CountersError('gone')
      return counters.secret(name, untilMs)
    },
  }
  const actorOf = (address: string) => actorUnder(address, watched, clock)
  const lost = await Promise.allSettled([actorOf('::1'), actorOf('192.0.2.7')])
  assert.ok(
    lost.every((each) => each.status === 'rejected' && each.reason instanceof CountersError),
  )
  assert.equal(asked.length, 2)
  isReachable = true
  await Promise.all([actorOf('::1'), actorOf('192.0.2.7')])
  assert.equal(asked.length, 4)
  assert.deepEqual(
    new Set(asked.map(String)),
    new Set([`actor-key:2026-05-01,${Date.UTC(2026, 4, 2, 0, 1)}`]),
  )
})

test('an address close to the mapped range is not an IPv4 address', async () => {
  const { actorOf } = rig()
  const ipv4 = await actorOf('192.0.2.1')
  for (const address of [
    '::192.0.2.1',
    '::ff00:192.0.2.1',
    '::ff:192.0.2.1',
    '::fffe:192.0.2.1',
    '::1:ffff:192.0.2.1',
    '::100:ffff:192.0.2.1',
    '1::ffff:192.0.2.1',
    '100::ffff:192.0.2.1',
    '::ffff:0:192.0.2.1',
    '64:ff9b::192.0.2.1',
  ]) {
    assert.notEqual(await actorOf(address), ipv4, address)
  }
  // They are identified by their first 64 bits, as all of IPv6 is.
  assert.equal(await actorOf('::192.0.2.1'), await actorOf('::1'))
  assert.equal(await actorOf('1::ffff:192.0.2.1'), await actorOf('1::2'))
})
