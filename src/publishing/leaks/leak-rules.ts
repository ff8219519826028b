import type { LeakMatch } from '../rules/search-text.ts'
import { findNonPublicAddresses } from './non-public-addresses.ts'
import { findBase32Secrets, findRandomTexts } from './random-texts.ts'
import { findRecoveryPhrases } from './recovery-phrases.ts'

/** A kind of text that must not be published. */
export interface LeakRule {
  readonly id: string
  /** Description of the finding; completes "found …". */
  readonly found: string
  /** Expected content; completes "expected …". */
  readonly expected: string
  /**
   * Whether the operator may allow an exact text in content/publishing.yaml. Never for texts that can only be
   * secrets.
   */
  readonly allowable?: true
  /** Whether the rule searches only published values, and not comments or YAML syntax. */
  readonly valuesOnly?: true
  /** Searches a normalized text (`createSearchText`), in time linear in its length. */
  find(text: string): Iterable<LeakMatch>
}

const matching = (pattern: RegExp) => (text: string) => text.matchAll(pattern)

/** API keys of this service, even with inserted spaces or punctuation. */
function findApiKeys(text: string): readonly LeakMatch[] {
  const whole = [...text.matchAll(/svk_[0-9A-Za-z]{8,}_[A-Za-z0-9_-]{16,}/gi)]
  const wholeAt = new Set(whole.map(({ index }) => index))
  const cut = /svk[^0-9a-z]{1,3}(?:[0-9a-f][^0-9a-z]{0,3}){16}(?:[0-9a-z][^0-9a-z]{0,3}){24,43}/gi
  const cutKeys = [...text.matchAll(cut)].filter(({ 0: match, index }) => {
    const digits = match.replaceAll(/[^0-9A-Za-z]/g, '').slice('svk'.length + 16)
    // Prose after a key ID has no digits; a secret of this length nearly always has.
    return !wholeAt.has(index) && [/\d/, /[a-z]/, /[A-Z]/].every((kind) => kind.test(digits))
  })
  return [...whole, ...cutKeys]
}

/** Placeholders for secrets: `<token>`, `…`, `$TOKEN`, `{token}`, `YOUR_TOKEN`, `***`. */
const PLACEHOLDER = /^(?:[<$%{[…]|\.{2}|\*+|x{3}|your|example|redacted|null|none|true|false)/i

const SECRET_NAME = String.raw`(?:pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)s?["']?\s{0,2}`
const VALUE = `\\s{0,2}["']?([^\\s"'&,;]`

/** Names of credentials, each with its value. */
const ASSIGNMENT = new RegExp(`${SECRET_NAME}=${VALUE}{4,200})`, 'gi')
/** After a colon or a keyword, ordinary text is as likely as a secret. */
const LABELS = [
  new RegExp(`${SECRET_NAME}:${VALUE}{8,200})`, 'gi'),
  /\b(?:bearer|basic)\s{1,3}([\w.~+/=-]{16,200})/gi,
]

/** `password=…`, `access_token=…`, `Authorization: Bearer …`. */
function findAssignedCredentials(text: string): readonly LeakMatch[] {
  const labelled = LABELS.flatMap((label) => [...text.matchAll(label)]).filter(
    ([, value = '']) => /\d/.test(value) && /[a-z]/i.test(value) && !value.includes('://'),
  )
  return [...text.matchAll(ASSIGNMENT), ...labelled].filter(
    ([, value = '']) => !PLACEHOLDER.test(value),
  )
}

function findEmailAddresses(text: string): readonly LeakMatch[] {
  // Starts at each at sign and reads the local part backwards, which takes linear time.
  const pattern =
    /(?<=([\p{L}\p{M}\p{N}._%+-]{1,64}))@(?:[\p{L}\p{M}\p{N}-]{1,63}(?:\.|\s\.\s)){1,8}[\p{L}\p{M}]{2,63}/gu
  return [...text.matchAll(pattern)].map(({ 0: domain, 1: local = '', index }) => ({
    index: index - local.length,
    0: `${local}${domain}`,
  }))
}

/** The service's own rules, in addition to the recommended ones of secretlint. */
export const LEAK_RULES: readonly LeakRule[] = [
  {
    id: 'api-key',
    found: 'an API key of this service',
    expected: 'no credential; revoke this key',
    find: findApiKeys,
  },
  {
    id: 'age-secret-key',
    found: 'an age identity',
    expected: 'no private key; create a new identity',
    // Only letters of Bech32, so that ordinary text ends the match.
    find: matching(
      /AGE[^0-9a-z]{0,3}(?:SECRET[^0-9a-z]{0,3}KEY[^0-9a-z]{0,3}1|PLUGIN-[0-9a-z-]{1,40}1)(?:[^0-9a-z]{0,3}[02-9ac-hj-np-z]){16,}/gi,
    ),
  },
  {
    id: 'private-key',
    found: 'a private key',
    expected: 'no private key; replace this one everywhere',
    find: matching(
      /-{2,10}\s{0,3}BEGIN[A-Z0-9 ]{1,40}PRIVATE\s{1,3}KEY(?:\s{1,3}BLOCK)?|PuTTY-User-Key-File-\d/gi,
    ),
  },
  {
    id: 'json-web-token',
    found: 'a JSON Web Token',
    expected: 'no token; revoke this one',
    find: matching(/(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{8,20}/g),
  },
  {
    id: 'url-credentials',
    found: 'a URL with a password in it',
    expected: 'a URL without credentials',
    find: matching(/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@"']{1,200}:[^\s/@"']{1,200}@/gi),
  },
  {
    id: 'recovery-phrase',
    found: 'the recovery phrase of a wallet (twelve words of the BIP 39 list in a row)',
    expected: 'no recovery phrase; move the funds to a new wallet',
    find: findRecoveryPhrases,
  },
  {
    allowable: true,
    id: 'assigned-credential',
    found: 'a password or a token with its value',
    expected: 'no credential; write a placeholder such as <token>',
    find: findAssignedCredentials,
  },
  {
    allowable: true,
    id: 'base32-secret',
    found: 'a base32 secret, as authenticator programs use them',
    expected: 'no secret; a public value can be allowed in content/publishing.yaml',
    find: findBase32Secrets,
  },
  {
    allowable: true,
    id: 'non-public-address',
    found: 'a private, loopback or link-local IP address',
    expected: 'public facts only',
    find: findNonPublicAddresses,
  },
  {
    allowable: true,
    id: 'email-address',
    found: 'an email address',
    expected: 'no address, or one that content/publishing.yaml allows',
    find: findEmailAddresses,
  },
  {
    allowable: true,
    id: 'internal-host',
    found: 'the name of an internal host',
    expected: 'public facts only',
    find: matching(
      /(?<![\w.-])(?:[a-z0-9_-]+\.)+(?:internal|local|localdomain|corp|lan|intranet|home\.arpa)(?![\w-]|\.\w)/gi,
    ),
  },
  {
    allowable: true,
    id: 'home-path',
    found: 'a path in a home folder',
    expected: 'a path relative to the project, or none',
    find: matching(
      /(?<![\w.-])\/(?:home|Users)\/[^\s/]+|(?<![\w.-])\/root\/\S+|\b[A-Z]:\\Users\\[^\s\\]+/g,
    ),
  },
  {
    allowable: true,
    valuesOnly: true,
    id: 'random-text',
    found: 'a long text that looks random, as secrets do',
    expected:
      'words, or a digest marked as one (sha256:…); a public value can be allowed in content/publishing.yaml',
    find: findRandomTexts,
  },
]
