/** The members of a comma-separated field, in lower case; none where the field is not there. */
export function listOf(value: string | undefined): readonly string[] {
  return (value ?? '')
    .split(',')
    .map((member) => member.trim().toLowerCase())
    .filter((member) => member !== '')
}

/** Whether two such lists have the same members, in whatever order. */
export function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.toSorted().join() === other.toSorted().join()
}
