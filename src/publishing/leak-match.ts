/** Characters that a leak rule has found. */
export interface LeakMatch {
  /** Start in the searched text. */
  readonly index: number
  readonly text: string
}

/** Every match of a global pattern that `isLeak` accepts. */
export function matchesOf(
  pattern: RegExp,
  text: string,
  isLeak: (match: LeakMatch) => boolean = () => true,
): readonly LeakMatch[] {
  return [...text.matchAll(pattern)]
    .map((match) => ({ index: match.index, text: match[0] }))
    .filter(isLeak)
}
