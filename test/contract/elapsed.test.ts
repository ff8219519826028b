import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAgo } from '@public-api/contract/text/elapsed'

const HOUR_MS = 3_600_000

test('an age counts hours and days, and names no day of the calendar', () => {
  for (const [ms, expected] of [
    [0, 'now'],
    [12 * 60_000, '12 minutes ago'],
    [30 * HOUR_MS, '1 day ago'],
    [50 * HOUR_MS, '2 days ago'],
    [-30 * HOUR_MS, 'in 1 day'],
  ] as const) {
    assert.equal(formatAgo('en', ms), expected)
  }
  assert.equal(formatAgo('zh-CN', 50 * HOUR_MS), '2天前')
})
