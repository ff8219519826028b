import assert from 'node:assert/strict'

/** A request in the parts that rules are about. */
export interface Draft {
  readonly method: string
  readonly target: string
  readonly headers: readonly string[]
  /** Left out: an address of its own. */
  readonly address?: string
  readonly fields: { readonly [name: string]: unknown }
  /** What is done to the text of the fields. */
  readonly wrap: (text: string) => string
  readonly cut: (text: string) => string
  readonly pad: (text: string) => string
}

/** The outcome of a request that breaks a rule, and how to break it. */
export type Rule = readonly [outcome: string, breakRule: (draft: Draft) => Draft]

/** Adds a header line. */
export const withHeader =
  (line: string) =>
  (draft: Draft): Draft => ({ ...draft, headers: [...draft.headers, line] })

/** Adds or replaces fields of the body. */
export const withFields =
  (fields: { readonly [name: string]: unknown }) =>
  (draft: Draft): Draft => ({ ...draft, fields: { ...draft.fields, ...fields } })

/** A request for a target that breaks no rule. */
export function goodDraft(target: string, fields: Draft['fields']): Draft {
  const same = (text: string) => text
  const headers = ['Content-Type: application/json']
  return { method: 'POST', target, headers, fields, wrap: same, cut: same, pad: same }
}

/** The body of a request. */
export function bodyOf({ fields, wrap, cut, pad }: Draft): string {
  return pad(cut(wrap(JSON.stringify(fields))))
}

/** The rules that precede the limits, for a target, in their decided order (contract decisions section 4). */
export function requestRules(target: string): readonly Rule[] {
  return [
    ['404 NOT_FOUND', (draft) => ({ ...draft, target: `${target}/` })],
    ['405 METHOD_NOT_ALLOWED', (draft) => ({ ...draft, method: 'PUT' })],
    ['403 REQUEST_REJECTED', withHeader('Origin: https://other.example')],
    [
      '415 UNSUPPORTED_MEDIA_TYPE',
      (draft) => ({
        ...draft,
        headers: draft.headers.map((line) =>
          line.startsWith('Content-Type') ? 'Content-Type: text/plain' : line,
        ),
      }),
    ],
    ['413 PAYLOAD_TOO_LARGE', (draft) => ({ ...draft, pad: (text) => text.padEnd(8193) })],
  ]
}

/** The rules of a body's shape. */
export const SHAPE_RULES: readonly Rule[] = [
  ['400 INVALID_JSON', (draft) => ({ ...draft, cut: (text) => text.slice(0, -1) })],
  ['400 INVALID_INPUT', (draft) => ({ ...draft, wrap: (text) => `[${text}]` })],
  ['400 INVALID_INPUT', withFields({ unknown: 1 })],
]

/** Asserts that of each rule alone, of any two, and of all from one on, the earliest decides. */
export async function assertOrder(
  good: Draft,
  rules: readonly Rule[],
  outcomeOfDraft: (draft: Draft) => Promise<string>,
): Promise<void> {
  // The last goes first, so that of two that need one field the earlier has it.
  const broken = (those: readonly Rule[]) =>
    outcomeOfDraft(those.reduceRight((draft, [, breakRule]) => breakRule(draft), good))
  for (const [at, earlier] of rules.entries()) {
    const [outcome] = earlier
    assert.equal(await broken([earlier]), outcome)
    assert.equal(await broken(rules.slice(at)), outcome, `all from ${outcome} on`)
    for (const later of rules.slice(at + 1)) {
      assert.equal(await broken([earlier, later]), outcome, `${outcome}, ${later[0]}`)
    }
  }
}
