import { after } from 'node:test'

/** What closes resources at its end: a test, or a file. */
export interface TestScope {
  after(close: () => unknown): void
}

/** A scope that ends after the tests of the calling file, for resources that they share; the latest closes first. */
export function useFileScope(): TestScope {
  const closers: (() => unknown)[] = []
  after(async () => {
    for (const close of closers.toReversed()) await close()
  })
  return { after: (close) => void closers.push(close) }
}
