import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMPONENT_STATES } from '@public-api/contract/snapshots/snapshot-schemas'
import {
  COPY_ORIGINS,
  copyNotice,
  ORIGINS,
  SHOWN_PROOFS,
  shownTruth,
  type Tone,
} from '../../src/browser/shown-truth.ts'
import { toneOf } from '../../src/pages/texts/enum-labels.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'

/** What each response makes of the headline: badge and edge of good news and of bad news, the sentence, and the rest of the page. */
const EXPECTED = {
  same: { good: 'good', edge: undefined, text: 'passed', tone: 'good', keepsGood: true },
  // The headline has the state of the response; the rest of the page does not.
  newer: { good: 'good', edge: undefined, text: 'newer', tone: 'warn', keepsGood: false },
  older: { good: 'good', edge: undefined, text: 'older', tone: 'warn', keepsGood: false },
  invalid: { good: 'idle', edge: 'bad', text: 'unverified', tone: 'bad', keepsGood: false },
  unavailable: { good: 'idle', edge: undefined, text: 'status', tone: 'warn', keepsGood: false },
  silent: { good: 'idle', edge: undefined, text: 'noResponse', tone: 'warn', keepsGood: false },
  unsupported: { good: 'good', edge: undefined, text: 'unchecked', tone: 'idle', keepsGood: true },
} as const

test('bad news keeps its color whatever was confirmed; good news loses it until it is', () => {
  const results: { readonly [key: string]: string } = TEXTS.en.status.live.result
  for (const state of COMPONENT_STATES) {
    const tone = toneOf('componentState', state) as Tone
    for (const origin of ORIGINS) {
      for (const isCopy of [false, true]) {
        const { good, edge, text, tone: line, keepsGood } = EXPECTED[origin]
        const badge = tone === 'good' ? good : tone
        const isAway = origin === 'unavailable' || origin === 'silent'
        const isOther = origin === 'newer' || origin === 'older'
        const inCopy = isAway ? 'seeAbove' : isOther ? 'ofService' : text
        const shown = isCopy ? inCopy : text
        assert.deepEqual(
          shownTruth(tone, origin, isCopy),
          { badge, edge: edge ?? badge, keepsGood, line: { text: shown, tone: line } },
          `${state}, ${origin}, ${isCopy ? 'copy' : 'service'}`,
        )
        assert.ok((results[shown] ?? '') !== '')
      }
    }
  }
})

test('the notice of a copy says each fact once, and what must not be relied on is red', () => {
  const texts: { readonly [key: string]: string } = TEXTS.en.site.staticCopy
  for (const proof of SHOWN_PROOFS) {
    for (const origin of [undefined, ...COPY_ORIGINS]) {
      const notice = copyNotice(proof, origin)
      const isBad =
        ['failed', 'contradicted'].includes(proof) ||
        (origin !== undefined && ['forged', 'contradicted'].includes(origin))
      assert.equal(notice.tone, isBad ? 'bad' : undefined, `${proof}, ${origin}`)
      const isOnce =
        origin === undefined ||
        (proof === origin && (proof === 'ahead' || proof === 'contradicted'))
      assert.equal(notice.texts.length, isOnce ? 1 : 2, `${proof}, ${origin}`)
      for (const key of notice.texts) assert.ok((texts[key] ?? '') !== '', key)
    }
  }
})
