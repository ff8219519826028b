import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import * as fc from 'fast-check'
import { localeOfAcceptLanguage, localeOfRequest } from '../../src/http/request-locale.ts'
import { ANY_CODE_POINT } from '../support/any-text.ts'
import { cpuMs } from '../support/cpu-time.ts'

const OWN = 'https://svc.example'

const ACCEPTED: readonly (readonly [header: string, locale: string])[] = [
  ['', 'en'],
  ['en', 'en'],
  ['th', 'th'],
  ['zh-CN', 'zh-CN'],
  // Any Chinese, any Thai, any English.
  ['zh', 'zh-CN'],
  ['zh-TW', 'zh-CN'],
  ['zh-Hant-HK', 'zh-CN'],
  ['ZH-cn', 'zh-CN'],
  ['zh-Hans', 'zh-CN'],
  ['th-TH', 'th'],
  ['TH', 'th'],
  ['th-TH-u-ca-buddhist', 'th'],
  ['en-GB', 'en'],
  ['EN-us', 'en'],
  // Other languages, and what only begins alike.
  ['de', 'en'],
  ['de, fr;q=0.9', 'en'],
  ['de, th;q=0.1', 'th'],
  ['tha', 'en'],
  ['zho', 'en'],
  ['thx-TH', 'en'],
  ['yue', 'en'],
  ['x-zh', 'en'],
  ['i-th', 'en'],
  ['de-th', 'en'],
  // Weights.
  ['th,en', 'th'],
  ['en,th', 'en'],
  ['zh,th,en', 'zh-CN'],
  ['en;q=0.5,th;q=0.9', 'th'],
  ['en;q=0.9,th;q=0.5,zh;q=0.95', 'zh-CN'],
  ['th;q=0.8,zh-CN', 'zh-CN'],
  ['th;q=0.999,zh;q=1', 'zh-CN'],
  ['th;q=1.000,zh;q=1', 'th'],
  ['th;q=0.123,zh;q=0.124', 'zh-CN'],
  ['th;q=0.,zh;q=0.1', 'zh-CN'],
  ['th;q=1.,en', 'th'],
  ['th-TH,th;q=0.9,en-US;q=0.8,en;q=0.7', 'th'],
  ['zh-TW;q=0.3,th;q=0.5,zh-CN;q=0.7', 'zh-CN'],
  [' th ; q=0.9 , en ; q=0.8 ', 'th'],
  ['th;Q=0.9,en;q=0.8', 'th'],
  ['\tth\t;\tq=1\t,\ten', 'th'],
  // A refusal.
  ['en;q=0', 'en'],
  ['en;q=0,th', 'th'],
  ['th;q=0', 'en'],
  ['th;q=0,zh;q=0.1', 'zh-CN'],
  ['th;q=0.0,zh;q=0.000', 'en'],
  ['zh-TW;q=0,zh;q=0.5,en;q=0.1', 'zh-CN'],
  // Any other.
  ['*', 'en'],
  ['*;q=0', 'en'],
  ['th,*', 'th'],
  ['*,th', 'en'],
  ['*;q=0.5,th', 'th'],
  ['th;q=0.5,*', 'en'],
  ['en;q=0,*', 'th'],
  ['en;q=0,th;q=0,*', 'zh-CN'],
  ['en;q=0.1,*;q=0.5', 'th'],
  ['de,*;q=0.5', 'en'],
  ['en;q=0,th;q=0,zh;q=0,*', 'en'],
  // Malformed elements are passed over, and the others stand.
  [',', 'en'],
  [',,th,,', 'th'],
  ['th_TH', 'en'],
  ['th_TH,zh', 'zh-CN'],
  ['th;q=2,zh;q=0.1', 'zh-CN'],
  ['th;q=-1,zh;q=0.1', 'zh-CN'],
  ['th;q=1.1,zh;q=0.1', 'zh-CN'],
  ['th;q=0.1234,zh;q=0.1', 'zh-CN'],
  ['th;q=,zh;q=0.1', 'zh-CN'],
  ['th;q,zh;q=0.1', 'zh-CN'],
  ['th;,zh;q=0.1', 'zh-CN'],
  ['th;q=.5,zh;q=0.1', 'zh-CN'],
  ['th;q = 0.5,zh;q=0.1', 'zh-CN'],
  ['th;q="1",zh;q=0.1', 'zh-CN'],
  ['th;level=1,zh;q=0.1', 'zh-CN'],
  ['th;q=1;q=1,zh;q=0.1', 'zh-CN'],
  ['th zh', 'en'],
  ['th-,zh;q=0.1', 'zh-CN'],
  ['-th,zh;q=0.1', 'zh-CN'],
  ['th-toolonganyway,zh;q=0.1', 'zh-CN'],
  ['*-TH', 'en'],
  ['ไทย', 'en'],
  ['<script>', 'en'],
]

test('Accept-Language: the highest weight wins, then the first', () => {
  assert.equal(localeOfAcceptLanguage(undefined), 'en')
  for (const [header, locale] of ACCEPTED) {
    assert.equal(localeOfAcceptLanguage(header), locale, JSON.stringify(header))
  }
})

test('Accept-Language: any text results in a locale', () => {
  const range = fc.constantFrom('th', 'en-US', 'zh-TW', '*', 'de', 'th_TH', '')
  const weight = fc.constantFrom('', ';q=0', ';q=0.5', ';q=1', ';q=x', ' ; q=0.25 ')
  const header = fc.oneof(
    fc.string({ unit: ANY_CODE_POINT }),
    fc
      .array(fc.tuple(range, weight).map((parts) => parts.join('')))
      .map((elements) => elements.join(',')),
  )
  fc.assert(
    fc.property(header, (text) => assert.ok(LOCALES.includes(localeOfAcceptLanguage(text)))),
  )
})

test('Accept-Language: parses a long header in linear time', () => {
  const started = cpuMs()
  localeOfAcceptLanguage(`th${' '.repeat(16_000)}x`)
  localeOfAcceptLanguage('th-a'.repeat(4000))
  localeOfAcceptLanguage(' ,'.repeat(8000))
  localeOfAcceptLanguage('th,'.repeat(5000))
  // Milliseconds in truth; a pattern that backtracks would take minutes.
  assert.ok(cpuMs() - started < 2000)
})

function localeOf(headers: { readonly [name: string]: string }, ownOrigin = OWN): string {
  return localeOfRequest({ header: (name) => headers[name] }, ownOrigin)
}

test("the locale of the form's page precedes Accept-Language", () => {
  for (const [path, locale] of [
    ['/en', 'en'],
    ['/en/', 'en'],
    ['/th', 'th'],
    ['/th/early-access', 'th'],
    ['/zh-CN', 'zh-CN'],
    ['/zh-CN/early-access?from=mail#form', 'zh-CN'],
    ['/th?x=/en', 'th'],
  ] as const) {
    assert.equal(localeOf({ referer: `${OWN}${path}`, 'accept-language': 'zh' }), locale, path)
    assert.equal(localeOf({ referer: `${OWN}${path}` }), locale, path)
  }
})

test('a Referer other than a page of this origin is ignored', () => {
  for (const referer of [
    '',
    '/th/',
    'th',
    OWN,
    `${OWN}/`,
    `${OWN}//th/`,
    `${OWN}/TH/`,
    `${OWN}/zh-cn/`,
    `${OWN}/zh/`,
    `${OWN}/thai/`,
    `${OWN}/%74h/`,
    `${OWN}/page/th/`,
    `${OWN}/?/th/`,
    'http://svc.example/th/',
    'https://svc.example:8443/th/',
    'https://www.svc.example/th/',
    'https://other.example/th/',
    'https://other.example/https://svc.example/th/',
    'https://svc.example.other.example/th/',
    'https://svc.example@other.example/th/',
    'null',
    'about:blank',
    'about:client',
    'data:text/html,/th/',
    'blob:null/th/',
    'not a url',
    'https://',
  ]) {
    assert.equal(localeOf({ referer, 'accept-language': 'zh' }), 'zh-CN', referer)
    assert.equal(localeOf({ referer }), 'en', referer)
  }
})

test('compares the serialized origin, including port and case', () => {
  assert.equal(localeOf({ referer: 'HTTPS://SVC.example:443/th/' }), 'th')
  assert.equal(localeOf({ referer: 'http://127.0.0.1:8080/th/' }, 'http://127.0.0.1:8080'), 'th')
  assert.equal(localeOf({ referer: 'http://127.0.0.1:8081/th/' }, 'http://127.0.0.1:8080'), 'en')
  // An opaque origin is serialized as null, which matches no origin.
  assert.equal(localeOf({ referer: 'about:blank' }, 'null'), 'en')
})

test('defaults to en without a page or header', () => {
  assert.equal(localeOf({}), 'en')
  assert.equal(localeOf({ 'accept-language': 'th-TH,th;q=0.9' }), 'th')
})
