/** What a thrown thing says for a person: an Error's message, or the thing as text, since anything can be thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
