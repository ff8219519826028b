import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REQUEST_SCHEMAS } from '@public-api/contract/registry/schemas'
import {
  foldFieldName,
  FORBIDDEN_FIELDS,
  isForbiddenField,
  isSessionIdField,
} from '@public-api/contract/waitlist/forbidden-fields'
import * as fc from 'fast-check'

const ALL_NAMES: readonly string[] = Object.values(FORBIDDEN_FIELDS).flat()

/** Every name that contract decisions section 4 writes out, and others that forms in the wild use. */
const FORBIDDEN_SPELLINGS = [
  'password',
  'passphrase',
  'pin',
  'secret',
  'token',
  'apiKey',
  'privateKey',
  'seed',
  'seedPhrase',
  'mnemonic',
  'wallet',
  'walletAddress',
  'phone',
  'ip',
  'userAgent',
  'new-password',
  'current_password',
  'password_confirmation',
  'X-Api-Key',
  'access_token',
  'refresh-token',
  'client_secret',
  'Authorization',
  'Set-Cookie',
  'secret_recovery_phrase',
  'xprv',
  'card_number',
  'creditCard',
  'CVV',
  'cc-number',
  'cc-csc',
  'IBAN',
  'passport_number',
  'nationalId',
  'SSN',
  'date_of_birth',
  'driversLicense',
  'phone_number',
  'tel',
  'mobile',
  'street_address',
  'postal-code',
  'address',
  'ip_address',
  'clientIp',
  'X-Forwarded-For',
  'REMOTE_ADDR',
  'mac_address',
  'device_id',
  'deviceFingerprint',
  'IMEI',
  'IDFA',
]

/** Names that are merely unknown here, or belong to the form. */
const OTHER_NAMES = [
  '',
  '_',
  '-',
  'name',
  'firstName',
  'company',
  'comment',
  'message',
  'website',
  'foo',
  'extra',
  'constructor',
  'toString',
  '__proto__',
  'hasOwnProperty',
  'passwordless',
  'tokens of thanks',
  'pinned',
  'seedling',
  'ipa',
  'phonetics',
  'pass word',
  'api.key',
  'Email',
  'challenge_token',
  'use_case',
]

test('names that are never accepted are known', () => {
  for (const name of FORBIDDEN_SPELLINGS) assert.ok(isForbiddenField(name), name)
})

test('other names are not forbidden', () => {
  for (const name of OTHER_NAMES) assert.ok(!isForbiddenField(name), name)
})

test('the table is folded, without duplicates and without names of the form or the session rule', () => {
  assert.equal(new Set(ALL_NAMES).size, ALL_NAMES.length)
  for (const name of ALL_NAMES) {
    assert.equal(foldFieldName(name), name)
    assert.ok(!isSessionIdField(name), name)
  }
  for (const { properties } of Object.values(REQUEST_SCHEMAS)) {
    for (const name of Object.keys(properties)) assert.ok(!isForbiddenField(name), name)
  }
})

test('ignores case, underscores and hyphens, and nothing else', () => {
  const gaps = fc.stringMatching(/^[_-]{0,3}$/)
  const spelling = fc.constantFrom(...ALL_NAMES).chain((name) =>
    fc
      .array(fc.tuple(fc.boolean(), gaps), { minLength: name.length, maxLength: name.length })
      .map((changes) =>
        changes
          .map(([isUpper, gap], at) => {
            const letter = name.charAt(at)
            return `${isUpper ? letter.toUpperCase() : letter}${gap}`
          })
          .join(''),
      ),
  )
  fc.assert(fc.property(spelling, (name) => assert.ok(isForbiddenField(name))))
  fc.assert(fc.property(spelling, (name) => assert.ok(!isForbiddenField(`${name} `))))
})

test('a session id is recognized in every spelling and is not a forbidden field', () => {
  for (const name of [
    'sessionId',
    'sessionid',
    'SESSIONID',
    'session_id',
    'Session-Id',
    '__session__id',
  ]) {
    assert.ok(isSessionIdField(name), name)
    assert.ok(!isForbiddenField(name), name)
  }
  for (const name of [
    'session',
    'sessions',
    'session id',
    'sessionIdentifier',
    'sid',
    'mySessionId',
  ]) {
    assert.ok(!isSessionIdField(name), name)
  }
})
