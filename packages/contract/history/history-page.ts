import { pathOf } from '../http/request-target.ts'

/** Largest `limit` of a page. */
export const MAX_HISTORY_PAGE = 1000

/** Selects the entries of a page: those older than `before`, at most `limit`, newest first. */
export interface HistoryPageRequest {
  /** At least 1; default: no limit. */
  readonly limit?: number | undefined
  /** Ignored if no version has this id. */
  readonly before?: string | undefined
}

const WHOLE_NUMBER = /^[1-9]\d*$/

/**
 * The page of the history that the query of a target selects. The server selects it with this function, and verifiers
 * decide with it what a signed index proves. Malformed, unknown and repeated values select nothing.
 */
export function parseHistoryPage(target: string): HistoryPageRequest {
  const parameters = new URLSearchParams(target.slice(pathOf(target).length))
  const valueOf = (name: string): string | undefined => {
    const [value, ...others] = parameters.getAll(name)
    return others.length === 0 ? value : undefined
  }
  const text = valueOf('limit') ?? ''
  const isLimit = WHOLE_NUMBER.test(text) && Number(text) <= MAX_HISTORY_PAGE
  return { limit: isLimit ? Number(text) : undefined, before: valueOf('before') }
}
