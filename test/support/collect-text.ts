import type { Readable } from 'node:stream'

/** What some streams have sent so far, in the order of arrival. */
export function collectText(...streams: readonly Readable[]): { readonly text: string } {
  const collected = { text: '' }
  for (const stream of streams) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      collected.text += text
    })
  }
  return collected
}
