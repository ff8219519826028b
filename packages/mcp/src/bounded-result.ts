import { escapeHidden } from '@public-api/contract/text/hidden-characters'
import { z } from 'zod'
import { ToolFailure } from './tool-failure.ts'

/** Hosts cut a longer result off, or refuse it. */
const MAX_CHARACTERS = 30_000

/** What every tool with lists takes. */
export const PAGE = {
  limit: z.int().min(1).max(100).optional().describe('At most so many items of each list.'),
  before: z
    .string()
    .max(200)
    .optional()
    .describe('The item of "left" after which to go on: gives the rest of its list alone.'),
}

/** Which part of the lists was asked for. */
export interface PageRequest {
  readonly limit?: number | undefined
  readonly before?: string | undefined
}

/** A list that is not whole: how many items follow, and the last one that is there, if it has a name to go on from. */
interface Left {
  readonly items: number
  readonly before?: string
}

interface List {
  readonly path: string
  readonly items: unknown[]
  readonly size: number
}

/** How an item of any list is named. */
function nameOf(item: unknown): string | undefined {
  const { id, snapshotId, version } = (item ?? {}) as Readonly<Record<string, unknown>>
  return [id, snapshotId, version].find((name) => typeof name === 'string')
}

function sizeOf(value: unknown): number {
  return escapeHidden(JSON.stringify(value)).length
}

/** Every list within a value that has more than one item. */
function listsOf(value: unknown, path: string): readonly List[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([name, member]) =>
    listsOf(member, path === '' ? name : `${path}/${name}`),
  )
  if (!Array.isArray(value) || value.length < 2) return inner
  return [{ path, items: value as unknown[], size: sizeOf(value) }, ...inner]
}

/** Takes the part of each list of `data` that was asked for. */
function takePage(
  data: Record<string, unknown>,
  { limit = Infinity, before }: PageRequest,
  drop: (path: string, items: unknown[], count: number) => void,
): void {
  const lists = Object.entries(data).filter((each): each is [string, unknown[]] =>
    Array.isArray(each[1]),
  )
  const from = lists.find(([, items]) => items.some((item) => nameOf(item) === before))
  if (before !== undefined && from === undefined) {
    throw new ToolFailure('NOT_FOUND', 'no list of this result has the item given as "before"')
  }
  for (const [name, items] of lists) {
    if (before !== undefined && items !== from?.[1]) {
      delete data[name]
      continue
    }
    if (before !== undefined) {
      items.splice(0, 1 + items.findIndex((item) => nameOf(item) === before))
    }
    if (items.length > limit) drop(name, items, items.length - limit)
  }
}

/**
 * The text of a result that hosts read whole: of lists, the items that were asked for, and so many of them that it is not
 * too long, the newest first as the service has them. `left` says what is missing and how to ask for it.
 */
export function formatBounded(result: object, page: PageRequest = {}): string {
  const kept = structuredClone(result) as { data?: Record<string, unknown> }
  const left: Record<string, Left> = {}
  const drop = (path: string, items: unknown[], count: number): void => {
    items.splice(items.length - count, count)
    const before = path.includes('/') ? undefined : nameOf(items.at(-1))
    const missing = (left[path]?.items ?? 0) + count
    left[path] = { items: missing, ...(before === undefined ? {} : { before }) }
  }
  if (typeof kept.data === 'object') takePage(kept.data, page, drop)
  for (;;) {
    const isWhole = Object.keys(left).length === 0
    const text = escapeHidden(JSON.stringify(isWhole ? kept : { ...kept, left }, undefined, 1))
    let excess = text.length - MAX_CHARACTERS
    if (excess <= 0) return text
    const [largest] = listsOf(kept.data, '').toSorted((one, other) => other.size - one.size)
    if (largest === undefined) {
      const reason = `the result has ${text.length} characters, more than ${MAX_CHARACTERS}, and no list to shorten; search instead`
      throw new ToolFailure('TOO_LARGE', reason)
    }
    let count = 0
    const { items } = largest
    while (excess > 0 && count < items.length - 1) {
      count += 1
      excess -= sizeOf(items[items.length - count])
    }
    drop(largest.path, items, count)
  }
}
