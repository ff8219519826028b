import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secondsUntil, createWindow } from '../../src/service/counted-window.ts'

test('a wait is in whole seconds, rounded up, from 1 to the maximum', () => {
  const nowMs = Date.UTC(2026, 10, 21, 9)
  for (const [leftMs, seconds] of [
    [-1000, 1],
    [0, 1],
    [1, 1],
    [1000, 1],
    [1001, 2],
    [58_999, 59],
    [59_000, 59],
    [59_001, 60],
    [60_000, 60],
    [60_001, 60],
    [86_400_000, 60],
  ] as const) {
    assert.equal(secondsUntil(nowMs + leftMs, nowMs, 60), seconds, `${leftMs} ms`)
  }
})

test('counts a limit under its key in a window of its length', () => {
  assert.deepEqual(createWindow('key:0123456789abcdef', { requests: 600, windowSeconds: 60 }), {
    key: 'key:0123456789abcdef',
    limit: 600,
    windowSeconds: 60,
  })
})
