import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** A run of characters that a rule objects to. */
interface LeakMatch {
  /** Where it starts in the text that was searched. */
  readonly index: number
  readonly text: string
}

/** One sort of text that must not be published. */
export interface LeakRule {
  readonly id: string
  /** What was found, for a person; completes "found …". */
  readonly found: string
  /** What to do about it; completes "expected …". */
  readonly expected: string
  /** Whether the operator may allow an exact text in content/publishing.yaml. Never for what can only be a secret. */
  readonly allowable: boolean
  /** Whether the rule looks at published values only, and not at comments or the YAML around them. */
  readonly valuesOnly: boolean
  find(text: string): readonly LeakMatch[]
}

function matchesOf(pattern: RegExp, text: string): LeakMatch[] {
  return [...text.matchAll(pattern)].map((match) => ({ index: match.index, text: match[0] }))
}

const NON_PUBLIC = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  NON_PUBLIC.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  NON_PUBLIC.addSubnet(network, prefix, 'ipv6')
}

function findNonPublicAddresses(text: string): readonly LeakMatch[] {
  const v4 = matchesOf(/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g, text).filter(
    (match) => isIPv4(match.text) && NON_PUBLIC.check(match.text, 'ipv4'),
  )
  const v6 = matchesOf(/(?<![\w:])[0-9a-f:]{2,39}(?![\w:])/gi, text).filter(
    (match) => isIPv6(match.text) && NON_PUBLIC.check(match.text, 'ipv6'),
  )
  return [...v4, ...v6]
}

/** Bits of surprise per character, from the frequencies in the text itself. */
function entropyPerCharacter(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) {
    const share = count / text.length
    bits -= share * Math.log2(share)
  }
  return bits
}

function looksRandom(token: string): boolean {
  if (/^(?:0x)?[0-9a-f]+$/i.test(token)) {
    return /\d/.test(token) && entropyPerCharacter(token) >= 3
  }
  const digits = token.replaceAll(/\D/g, '').length
  if (digits < 3 || entropyPerCharacter(token) < 3.8) return false
  // Words joined by separators are names and paths; random text mixes cases or has no separators.
  return (/[a-z]/.test(token) && /[A-Z]/.test(token)) || !/[/_-]/.test(token)
}

function findRandomTexts(text: string): readonly LeakMatch[] {
  return matchesOf(/[A-Za-z0-9+/_=-]{32,}/g, text).filter((match) => looksRandom(match.text))
}

// Recovery phrases (BIP 39) are 12 to 24 words of 3 to 8 letters. Ordinary sentences hardly ever run that far without
// a shorter word, a longer one, punctuation or one of these, none of which is in the English word list of BIP 39.
const NEVER_IN_PHRASE: ReadonlySet<string> = new Set([
  'and',
  'any',
  'are',
  'but',
  'each',
  'for',
  'from',
  'has',
  'its',
  'not',
  'nor',
  'the',
  'their',
  'them',
  'these',
  'those',
  'was',
  'were',
  'which',
])
const SHORTEST_PHRASE_WORDS = 12

function findPhrases(text: string): readonly LeakMatch[] {
  const found: LeakMatch[] = []
  // A word, with a number or a bullet before it as lists of such words have.
  const word = /(?:\d{1,2}[.):]?\s+)?(?<![\p{L}\p{N}'’-])(\p{Ll}{3,8})(?![\p{L}\p{N}'’])/gu
  let run: { start: number; end: number; words: number } | undefined
  const close = (): void => {
    if (run !== undefined && run.words >= SHORTEST_PHRASE_WORDS) {
      found.push({ index: run.start, text: text.slice(run.start, run.end) })
    }
    run = undefined
  }
  const lowered = text.toLowerCase()
  for (const match of lowered.matchAll(word)) {
    const gap = run === undefined ? '' : lowered.slice(run.end, match.index)
    if (!/^[\s,;|*-]*$/.test(gap) || NEVER_IN_PHRASE.has(match[1] ?? '')) close()
    if (NEVER_IN_PHRASE.has(match[1] ?? '')) continue
    const end = match.index + match[0].length
    run =
      run === undefined
        ? { start: match.index, end, words: 1 }
        : { start: run.start, end, words: run.words + 1 }
  }
  close()
  return found
}

const secret = { allowable: false, valuesOnly: false } as const
const perhaps = { allowable: true, valuesOnly: false } as const

/**
 * The service's own rules, beside the recommended ones of secretlint. Repetitions that may start anywhere are bounded,
 * so that a long text takes time in proportion to its length.
 */
export const LEAK_RULES: readonly LeakRule[] = [
  {
    ...secret,
    id: 'api-key',
    found: 'an API key of this service',
    expected: 'no credential; revoke this key',
    find: (text) => matchesOf(/svk_[0-9A-Za-z]{8,}_[A-Za-z0-9_-]{16,}/gi, text),
  },
  {
    ...secret,
    id: 'age-secret-key',
    found: 'an age identity',
    expected: 'no private key; make a new identity',
    find: (text) => matchesOf(/AGE-(?:SECRET-KEY|PLUGIN)-[0-9A-Z-]{16,}/gi, text),
  },
  {
    ...secret,
    id: 'private-key',
    found: 'a private key',
    expected: 'no private key; replace this one everywhere',
    find: (text) => matchesOf(/-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/g, text),
  },
  {
    ...secret,
    id: 'json-web-token',
    found: 'a JSON Web Token',
    expected: 'no token; revoke this one',
    find: (text) => matchesOf(/\beyJ[\w-]{8,2000}\.[\w-]{8,20}/g, text),
  },
  {
    ...secret,
    id: 'url-credentials',
    found: 'an address with a password in it',
    expected: 'an address without credentials',
    find: (text) =>
      matchesOf(/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@"']{1,200}:[^\s/@"']{1,200}@/gi, text),
  },
  {
    ...secret,
    id: 'recovery-phrase',
    found: 'a run of words like the recovery phrase of a wallet',
    expected: 'no recovery phrase; for an ordinary sentence, add punctuation or an article',
    find: findPhrases,
  },
  {
    ...perhaps,
    id: 'non-public-address',
    found: 'a private, loopback or link-local IP address',
    expected: 'public facts only',
    find: findNonPublicAddresses,
  },
  {
    ...perhaps,
    id: 'email-address',
    found: 'an e-mail address',
    expected: 'no address, or one that content/publishing.yaml allows',
    find: (text) =>
      matchesOf(
        /[\p{L}\p{M}\p{N}._%+-]{1,64}@(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,8}[\p{L}\p{M}]{2,63}/gu,
        text,
      ),
  },
  {
    ...perhaps,
    id: 'internal-host',
    found: 'the name of an internal host',
    expected: 'public facts only',
    find: (text) =>
      matchesOf(
        /(?<![\w.-])(?:[a-z0-9_-]+\.)+(?:internal|local|localdomain|corp|lan|intranet|home\.arpa)(?![\w-]|\.\w)/gi,
        text,
      ),
  },
  {
    ...perhaps,
    id: 'home-path',
    found: 'a path in somebody’s home folder',
    expected: 'a path relative to the project, or none',
    find: (text) =>
      matchesOf(
        /(?<![\w.-])\/(?:home|Users)\/[^\s/]+|(?<![\w.-])\/root\/\S+|\b[A-Z]:\\Users\\[^\s\\]+/g,
        text,
      ),
  },
  {
    ...perhaps,
    valuesOnly: true,
    id: 'random-text',
    found: 'a long text that looks random, as secrets do',
    expected: 'words; a public value can be allowed in content/publishing.yaml',
    find: findRandomTexts,
  },
]
