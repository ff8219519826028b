import { setImmediate } from 'node:timers/promises'
import type { Html } from './html.ts'

let last: Promise<unknown> = Promise.resolve()

/** Resolves in a turn of the event loop that no other caller has, so that requests wait for one part of one page. */
export function ownTurn(): Promise<unknown> {
  last = last.then(() => setImmediate())
  return last
}

/** Calls `write` with the text of markup, each late part in a turn of its own. */
export async function writeInTurns(markup: Html, write: (piece: string) => void): Promise<void> {
  for (const piece of markup.written()) {
    write(piece)
    await ownTurn()
  }
}
