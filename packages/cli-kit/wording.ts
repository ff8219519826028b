/** `1 row`, `2 rows`. */
export function pluralOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
