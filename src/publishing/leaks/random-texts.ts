import type { LeakMatch } from '../rules/search-text.ts'

/** Shannon entropy per character in bits, from the frequencies in the text. */
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

// The end of the text before a digest: a name of a digest and a separator, or some more words and a colon.
const DIGEST_MARK =
  /\b(?:sha-?\d{1,3}|sha[23]-\d{3}|md5|blake\d\w{0,4}|digest|checksum|fingerprint)(?:[:=\- "'`(]{1,4}|(?:[ \w'’(),-]|\.(?=\w)){0,60}[:=] ?["'`(]?)$/i

// Lengths of digests of 128 to 512 bits, in hexadecimal and in base64 with and without padding.
const DIGEST_LENGTHS: ReadonlySet<number> = new Set([
  32, 40, 56, 64, 96, 128, 22, 24, 27, 28, 38, 43, 44, 86, 88,
])

/** Values that a context names: the form of the value, and the end of the text before it. */
const NAMED_VALUES: readonly (readonly [value: RegExp, before: RegExp])[] = [
  // Commits of Git: SHA-1 or SHA-256. Several may follow each other.
  [/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, /\bcommits?\b[\w\s,:;&`'"()-]{0,60}$/i],
  // What is said of commits of SHA-1: fixed in, since, merged as.
  [
    /^[0-9a-f]{40}$/,
    /\b(?:(?:fix(?:ed|es)?|introduced|reverted|reverts|merged|landed|resolved|broken|added|changed|removed|backported|cherry-picked|bisected)(?: (?:in|by|with|as|from|to))?|since|git (?:show|checkout|revert|cherry-pick)) $/i,
  ],
  // Entity tags of this service, as a header field has them.
  [/^[\w-]{43}$/, /\b(?:etag|if-none-match):\s{0,2}(?:W\/)?"?$/i],
  // In a sentence, the tag is in its quotes.
  [/^[\w-]{43}$/, /\b(?:etags?|entity tags?|if-none-match)\b[^"\n]{0,60}"$/i],
]

/** SHA-1. A longer one without a word about it may be a key. */
const COMMIT = '[0-9a-f]{40}'
/** A commit as the whole text, in brackets, or one of two that are compared. The commit is at the position. */
const BARE_COMMIT = [
  new RegExp(`^\\s*${COMMIT}\\s*$`, 'g'),
  new RegExp(`[(\\[\u0060]${COMMIT}[)\\]\u0060]`, 'g'),
  new RegExp(`${COMMIT}\\.{2,3}${COMMIT}`, 'g'),
]

/** Whether a token is a commit by the text beside it. */
function isBareCommit(text: string, { index, 0: token }: LeakMatch): boolean {
  if (!new RegExp(`^${COMMIT}$`).test(token)) return false
  const around = text.slice(Math.max(0, index - 67), index + token.length + 67)
  return BARE_COMMIT.some((pattern) =>
    around.matchAll(pattern).some(([found]) => found.includes(token)),
  )
}

/** Whether the text before a token marks it as a digest: `sha256:…`, `SHA-256 of the file: …`, `commit …`. */
function isMarkedDigest(text: string, { index, 0: token }: LeakMatch): boolean {
  const before = text.slice(Math.max(0, index - 90), index)
  if (NAMED_VALUES.some(([value, mark]) => value.test(token) && mark.test(before))) return true
  const characters = token.replaceAll(/[\s:]/g, '')
  return DIGEST_LENGTHS.has(characters.length) && DIGEST_MARK.test(before)
}

/** A URL of a commit, or of a file in it, in the text up to the end of a token. */
const COMMIT_URL =
  /https:\/\/\S{1,200}\/(?:(?:commits?|tree|blob)\/(?:\?id=)?|compare\/(?:[\w.-]{1,100}\.{2,3})?)(?:[0-9a-f]{40}|[0-9a-f]{64})((?:\/[\w.+/-]{0,200})?)$/

/** Whether a token ends the URL of a commit. A path after the commit must not look random. */
function isInCommitUrl(text: string, { index, 0: token }: LeakMatch): boolean {
  const before = text.slice(Math.max(0, index - 220), index)
  const [, rest] = COMMIT_URL.exec(before + token) ?? []
  return rest !== undefined && !rest.split('/').some((part) => part.length >= 32)
}

// A mark and its digest are one token if the mark has only base64 characters: `sha256-…`, `sha256=…`.
const DIGEST_PREFIX = /^(?:sha-?(?:1|224|256|384|512)|md5)[-=]/i

function isRandomHex(token: string): boolean {
  return /^(?:0x)?[0-9a-f]+$/i.test(token) && /\d/.test(token) && entropyPerCharacter(token) >= 3
}

function looksRandom(token: string): boolean {
  if (/^(?:0x)?[0-9a-f]+$/i.test(token)) return isRandomHex(token)
  if (token.split('/').some((part) => part.length >= 32 && isRandomHex(part))) return true
  const digits = token.replaceAll(/\D/g, '').length
  if (digits < 3 || entropyPerCharacter(token) < 3.8) return false
  // Words joined by separators are names and paths; random text mixes cases or has no separators.
  return (/[a-z]/.test(token) && /[A-Z]/.test(token)) || !/[/_-]/.test(token)
}

/** Long tokens that look random, as keys and tokens do. */
function findLongTokens(text: string): readonly LeakMatch[] {
  return [...text.matchAll(/[A-Za-z0-9+/_=-]{32,}/g)]
    .map(({ 0: token, index }) => {
      const prefix = DIGEST_PREFIX.exec(token)?.[0].length ?? 0
      return { index: index + prefix, 0: token.slice(prefix) }
    })
    .filter((match) => {
      if (!looksRandom(match[0]) || isMarkedDigest(text, match)) return false
      return !isInCommitUrl(text, match) && !isBareCommit(text, match)
    })
}

const GROUPED_HEX =
  /(?<![0-9a-z])(?:[0-9a-f]{2}(?:[:\s][0-9a-f]{2}){15,127}|[0-9a-f]{4}(?:[:\s-][0-9a-f]{4}){7,63}|[0-9a-f]{8}(?:[:\s-][0-9a-f]{8}){3,31})(?![0-9a-z])/gi

/** Random texts: whole, or as hexadecimal digits of key length in groups such as `4f:a1:…` or `4fa1 09c2 …`. */
export function findRandomTexts(text: string): readonly LeakMatch[] {
  const grouped = [...text.matchAll(GROUPED_HEX)].filter((match) => {
    const digits = match[0].replaceAll(/[^0-9a-f]/gi, '')
    return /[a-f]/i.test(digits) && looksRandom(digits) && !isMarkedDigest(text, match)
  })
  return [...findLongTokens(text), ...grouped]
}

const BASE32 =
  /(?<![0-9A-Za-z/_-])(?:[A-Z2-7]{16,256}={0,6}|[a-z2-7]{16,256}={0,6}|[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,63}|[a-z2-7]{4}(?:[ -][a-z2-7]{4}){3,63})(?![0-9A-Za-z/_-])/g

/** Base32 secrets, as authenticator programs show them: at least 80 bits, whole or in groups of four. */
export function findBase32Secrets(text: string): readonly LeakMatch[] {
  return [...text.matchAll(BASE32)].filter(([token]) => {
    const characters = token.replaceAll(/[ =-]/g, '')
    // Another rule covers texts of hexadecimal digits. Words have no digits, and names have one number.
    const numbers = characters.match(/\d+/g) ?? []
    return numbers.length >= 2 && !/^[0-9a-f]+$/i.test(characters)
  })
}
