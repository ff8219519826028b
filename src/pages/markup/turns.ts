import { setImmediate } from 'node:timers/promises'
import type { Html } from './html.ts'

let last: Promise<unknown> = Promise.resolve()

/** Resolves in a turn of the event loop that no other caller has, so that requests wait for one part of one page. */
export function ownTurn(): Promise<unknown> {
  last = last.then(() => setImmediate())
  return last
}

/** Calls `write` with the text of markup, each late part in a turn of its own, and waits for a promise that it returns. */
export async function writeInTurns(markup: Html, write: (piece: string) => unknown): Promise<void> {
  for (const piece of markup.written()) {
    await write(piece)
    await ownTurn()
  }
}
