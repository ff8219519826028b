import { KEBAB_ID_PATTERN } from './identifier-patterns.ts'
import { INSTANT } from './instant.ts'

// The vocabulary of the snapshot schemas. Each function returns a literal schema, so that the TypeScript type of a
// snapshot follows from its schema.

/** A stable identifier in kebab-case: it stays when the title is reworded, so that readers can link to an item. */
export function idField<const D extends string, const E extends string>(
  description: D,
  example: E,
) {
  return {
    type: 'string',
    pattern: KEBAB_ID_PATTERN,
    maxLength: 64,
    description,
    example,
  } as const
}

/** Maximum length (Unicode code points) of texts for people, by purpose. */
const TEXT_LENGTHS = { line: 120, sentence: 300, text: 1000 } as const

/** Text for people: plain, no markup, never empty, of limited length. */
export function textField<const D extends string, const E extends string>(
  description: D,
  example: E,
  size: keyof typeof TEXT_LENGTHS = 'text',
) {
  return {
    type: 'string',
    minLength: 1,
    maxLength: TEXT_LENGTHS[size],
    description,
    example,
  } as const
}

/** A public email address. */
export function emailField<const D extends string, const E extends string>(
  description: D,
  example: E,
) {
  return {
    type: 'string',
    pattern: String.raw`^[A-Za-z0-9._%+-]{1,64}@([A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z-]{2,63}$`,
    maxLength: 254,
    description,
    example,
  } as const
}

/** A color in sRGB, as #rrggbb. */
export function colorField<const D extends string, const E extends string>(
  description: D,
  example: E,
) {
  return { type: 'string', pattern: '^#[0-9a-fA-F]{6}$', description, example } as const
}

/** An instant: RFC 3339 in UTC, with the letter Z. */
export function instantField<const D extends string, const E extends string>(
  description: D,
  example: E,
) {
  return {
    type: 'string',
    format: 'date-time',
    pattern: INSTANT.source,
    maxLength: 24,
    description,
    example,
  } as const
}

/** A calendar day: RFC 3339 full-date, in UTC. */
export function dayField<const D extends string, const E extends string>(
  description: D,
  example: E,
) {
  return { type: 'string', format: 'date', maxLength: 10, description, example } as const
}

/** One of a fixed list of values. */
export function enumField<
  const V extends readonly string[],
  const D extends string,
  const E extends V[number],
>(values: V, description: D, example: E) {
  return { type: 'string', enum: values, description, example } as const
}

/** An `https:` URL. */
export function urlField<const D extends string, const E extends string>(
  description: D,
  example: E,
) {
  return {
    type: 'string',
    format: 'uri',
    pattern: '^https://',
    maxLength: 2000,
    description,
    example,
  } as const
}

/** When the operator last reviewed the snapshot; part of every snapshot. */
export const UPDATED_AT = instantField(
  'When the operator last reviewed this snapshot, in UTC.',
  '2026-11-21T00:00:00Z',
)
