import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS, type Registry } from '@public-api/contract/registry/endpoints'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { checkChangelog } from '../../src/publishing/rules/changelog-rules.ts'

const DEPRECATED: Registry = {
  ...ENDPOINTS,
  roadmap: {
    ...ENDPOINTS.roadmap,
    status: 'deprecated',
    deprecation: {
      deprecatedAt: '2026-11-22T00:00:00Z',
      sunsetAt: '2027-03-01T12:00:00Z',
      successor: '/api/v2/roadmap',
    },
  },
}

type Change = SnapshotData<'changelog'>['unreleased'][number]

const ANNOUNCEMENT = {
  kind: 'deprecated',
  text: 'The roadmap moves.',
  endpoints: ['GET /api/v1/roadmap'],
  sunsetOn: '2027-03-01',
  replacement: 'GET /api/v2/roadmap',
} as const satisfies Change

/** The mistakes of a changelog with one change, unreleased unless a day is given. */
function mistakesOf(change: Change, registry?: Registry, releasedOn?: string): readonly string[] {
  const faults = checkChangelog(
    {
      summary: 'All.',
      updatedAt: '2026-11-22T00:00:00Z',
      unreleased: releasedOn === undefined ? [change] : [],
      releases:
        releasedOn === undefined ? [] : [{ version: '1.0.0', date: releasedOn, changes: [change] }],
    },
    registry,
  )
  return Array.from(
    faults,
    ({ path, found, expected }) => `${path.join('.')}: ${found}; expected ${expected}`,
  )
}

test('a changelog announces the deprecation of the registry', () => {
  assert.deepEqual(mistakesOf(ANNOUNCEMENT, DEPRECATED), [])
})

test('a deprecation without a registry row is a mistake', () => {
  assert.deepEqual(mistakesOf(ANNOUNCEMENT), [
    'unreleased.0.endpoints.0: the deprecation of GET /api/v1/roadmap; expected an endpoint that is deprecated in the registry',
  ])
})

test('a sunset date or replacement that differs from the registry is a mistake', () => {
  assert.deepEqual(mistakesOf({ ...ANNOUNCEMENT, sunsetOn: '2027-03-02' }, DEPRECATED), [
    'unreleased.0.endpoints.0: GET /api/v1/roadmap with the sunset 2027-03-02; expected 2027-03-01, as in the registry',
  ])
  assert.deepEqual(mistakesOf({ ...ANNOUNCEMENT, replacement: 'GET /api/v1/status' }, DEPRECATED), [
    'unreleased.0.endpoints.0: GET /api/v1/roadmap with the replacement GET /api/v1/status; expected GET /api/v2/roadmap, as in the registry',
  ])
})

test('a removed endpoint stays in the changelog', () => {
  const { roadmap: _, ...rest } = ENDPOINTS
  const removal: Change = { kind: 'removed', text: 'Gone.', endpoints: ['GET /api/v1/roadmap'] }
  assert.deepEqual(mistakesOf(removal, rest), [])
})

test('a released entry may announce an earlier sunset than the registry, not a later one', () => {
  const released = (sunsetOn: string) =>
    mistakesOf({ ...ANNOUNCEMENT, sunsetOn }, DEPRECATED, '2026-11-22')
  assert.deepEqual(released('2027-02-28'), [])
  assert.equal(released('2027-03-02').length, 1)
})
