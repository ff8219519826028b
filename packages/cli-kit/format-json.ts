import { escapeHidden } from '@public-api/contract/text/hidden-characters'

/** A line that is safe to print on a terminal: what it would obey or hide is escaped as in JSON. */
export function escapeInvisible(line: string): string {
  return escapeHidden(line).replaceAll('\n', String.raw`\n`)
}

/** A value as JSON in one line, the same for a parser as JSON.stringify writes it, and safe to print on a terminal. */
export function formatJson(value: unknown): string {
  return escapeInvisible(JSON.stringify(value))
}
