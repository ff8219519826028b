/**
 * Runs `work` on every item, with limited concurrency. After the first failure no further item is started. Each
 * worker gets its own signal, which follows the caller's: Node 20 warns of a leak if one signal has more than ten
 * listeners.
 */
export async function forEachSome<Item>(
  items: readonly Item[],
  {
    concurrency,
    signal,
  }: { readonly concurrency: number; readonly signal: AbortSignal | undefined },
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  // With a limit of 0 nothing would run, which would look like success.
  if (!(concurrency >= 1)) {
    throw new RangeError(`concurrency: expected 1 or more, found ${concurrency}`)
  }
  const lanes = Array.from(
    { length: Math.min(concurrency, items.length) },
    () => new AbortController(),
  )
  const abort = (): void => {
    for (const lane of lanes) lane.abort(signal?.reason)
  }
  if (signal?.aborted === true) abort()
  signal?.addEventListener('abort', abort)
  const rest = items.values()
  let hasFailed = false
  try {
    await Promise.all(
      lanes.map(async (lane) => {
        for (const item of rest) {
          if (hasFailed) return
          try {
            await work(item, lane.signal)
          } catch (error) {
            hasFailed = true
            throw error
          }
        }
      }),
    )
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}
