/** Runs `work` on every item, some at a time. After the first failure none is begun any more. */
export async function forEachSome<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // Nothing would be worked on, and that would look as if all went well.
  if (!(concurrency >= 1)) {
    throw new RangeError(`concurrency: expected 1 or more, found ${concurrency}`)
  }
  const rest = items.values()
  let hasFailed = false
  await Promise.all(
    Array.from({ length: Math.min(concurrency, items.length) }, async () => {
      for (const item of rest) {
        if (hasFailed) return
        try {
          await work(item)
        } catch (error) {
          hasFailed = true
          throw error
        }
      }
    }),
  )
}
