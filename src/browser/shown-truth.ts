/**
 * What a page may claim, by what is published, what the proof of a copy says, and what the service responded. One rule for
 * all pages: good news loses its color until it is confirmed; bad news keeps color and shape, because a stale alarm harms
 * no one and a gray one reads as over. Each fact is said once, and in one color: the second place points to the first.
 */

/** The color and shape of a state. */
export type Tone = 'good' | 'warn' | 'bad' | 'planned' | 'idle'

/** What the service said when the page asked it about what the page shows. */
export const ORIGINS = [
  'same',
  'newer',
  'older',
  'invalid',
  'unavailable',
  'silent',
  'unsupported',
] as const
export type Origin = (typeof ORIGINS)[number]

/** The sentence below the state, by its key among the texts, with its tone. */
const SENTENCES = {
  same: { text: 'passed', tone: 'good' },
  newer: { text: 'newer', tone: 'warn' },
  older: { text: 'older', tone: 'warn' },
  invalid: { text: 'unverified', tone: 'bad' },
  unavailable: { text: 'status', tone: 'warn' },
  silent: { text: 'noResponse', tone: 'warn' },
  unsupported: { text: 'unchecked', tone: 'idle' },
} as const satisfies { readonly [origin in Origin]: { readonly text: string; readonly tone: Tone } }

/** Whether what the page shows beside the headline is what the service says now; `undefined` if the browser cannot tell. */
const CONFIRMED: { readonly [origin in Origin]: boolean | undefined } = {
  same: true,
  newer: false,
  older: false,
  invalid: false,
  unavailable: false,
  silent: false,
  unsupported: undefined,
}

/** What a copy says in other words: its notice, above the content, has the rest. */
const IN_A_COPY: { readonly [origin in Origin]?: string } = {
  newer: 'ofService',
  older: 'ofService',
  unavailable: 'seeAbove',
  silent: 'seeAbove',
}

/**
 * What the headline shows of a published state: that of the page or, if the service signed another one, that one. No proof of
 * a copy changes it: it says what was true when it was signed.
 */
export function shownTruth(state: Tone, origin: Origin, isCopy: boolean) {
  // The headline has the state of the response then.
  const isSigned = origin === 'newer' || origin === 'older'
  const isConfirmed = isSigned ? true : CONFIRMED[origin]
  const badge: Tone = isConfirmed === false && state === 'good' ? 'idle' : state
  const { text, tone } = SENTENCES[origin]
  return {
    badge,
    edge: origin === 'invalid' ? ('bad' as const) : badge,
    /** Good news elsewhere on the page has its color. */
    keepsGood: CONFIRMED[origin] !== false,
    line: { text: (isCopy ? IN_A_COPY[origin] : undefined) ?? text, tone },
  }
}

/** What `now.json` proves of a copy. */
export const SHOWN_PROOFS = ['valid', 'missing', 'failed', 'contradicted', 'ahead'] as const
export type ShownProof = (typeof SHOWN_PROOFS)[number]

/** What the service said about the newest version when a page of a copy asked it. */
export const COPY_ORIGINS = ['same', 'newer', 'away', 'forged', 'contradicted', 'ahead'] as const
export type CopyOrigin = (typeof COPY_ORIGINS)[number]

const OF_PROOF = {
  valid: 'proven',
  missing: 'missing',
  failed: 'failed',
  contradicted: 'contradicts',
  ahead: 'clock',
} as const
const OF_ORIGIN = {
  same: 'current',
  newer: 'newer',
  away: 'unreachable',
  forged: 'forged',
  contradicted: 'contradicts',
  ahead: 'clock',
} as const

/** What a reader must not rely on. */
const UNRELIABLE: ReadonlySet<ShownProof | CopyOrigin> = new Set([
  'failed',
  'forged',
  'contradicted',
])

/** The sentences above a page of a copy, by their keys, and whether the reader must not rely on it. */
export function copyNotice(proof: ShownProof, origin: CopyOrigin | undefined) {
  const texts = new Set<string>([
    OF_PROOF[proof],
    ...(origin === undefined ? [] : [OF_ORIGIN[origin]]),
  ])
  return {
    texts: [...texts],
    tone:
      UNRELIABLE.has(proof) || (origin !== undefined && UNRELIABLE.has(origin))
        ? ('bad' as const)
        : undefined,
  }
}
