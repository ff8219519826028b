import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOriginAllowed } from '../../src/http/origin-rule.ts'

const OWN = 'https://api.example.test'

/** Title, Origin, Sec-Fetch-Site, whether it is allowed. */
const CASES: readonly (readonly [string, string | undefined, string | undefined, boolean])[] = [
  ['a command line', undefined, undefined, true],
  ['the own page', OWN, 'same-origin', true],
  ['the own page in a browser without fetch metadata', OWN, undefined, true],
  ['a person’s own doing', undefined, 'none', true],
  ['another origin', 'https://evil.example', undefined, false],
  ['another scheme', 'http://api.example.test', undefined, false],
  ['another port', `${OWN}:8443`, undefined, false],
  ['another host of the site', 'https://www.example.test', 'same-site', false],
  ['a sandboxed frame', 'null', undefined, false],
  ['an empty one', '', undefined, false],
  ['the own one with a slash', `${OWN}/`, undefined, false],
  ['the own one in capitals, as no browser writes it', OWN.toUpperCase(), undefined, false],
  ['two of them', `${OWN}, https://evil.example`, undefined, false],
  ['a foreign page without Origin', undefined, 'cross-site', false],
  ['another host’s page without Origin', undefined, 'same-site', false],
  ['headers that disagree', OWN, 'cross-site', false],
  ['a browser’s word behind another line', undefined, 'none, cross-site', false],
]

for (const [what, origin, site, isAdmitted] of CASES) {
  test(`origin rule: ${what} is ${isAdmitted ? 'admitted' : 'refused'}`, () => {
    const headers = new Map([
      ['origin', origin],
      ['sec-fetch-site', site],
    ])
    const header = (name: string) => headers.get(name)
    assert.equal(isOriginAllowed({ header }, OWN), isAdmitted)
  })
}
