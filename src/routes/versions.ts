import { ENDPOINTS } from '../contract/endpoints.ts'
import type { Handler } from '../http/exchange.ts'
import type { HistoryPageRequest, Releases } from '../service/releases.ts'

const { path, query } = ENDPOINTS.versions
const WHOLE_NUMBER = /^[1-9]\d*$/

/** The value of a query parameter that was sent once. Repeated parameters are ambiguous and ignored. */
function onlyValue(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = parameters.getAll(name)
  return others.length === 0 ? value : undefined
}

function limitOf(parameters: URLSearchParams): number | undefined {
  const value = onlyValue(parameters, 'limit')
  if (value === undefined || !WHOLE_NUMBER.test(value)) return undefined
  const limit = Number(value)
  return limit <= query.limit.maximum ? limit : undefined
}

/** The page of the history that a query selects. Malformed and unknown values select nothing. */
function parsePageRequest(search: string): HistoryPageRequest {
  const parameters = new URLSearchParams(search)
  return { limit: limitOf(parameters), before: onlyValue(parameters, 'before') }
}

/** Creates the handler of the version history: the whole index, or the page that the query selects. */
export function createVersions(releases: Releases): Handler {
  return ({ request }) => {
    const page = parsePageRequest(request.target.slice(request.path.length))
    if (page.limit === undefined && page.before === undefined) return releases.history
    const { payload, nextBefore } = releases.historyPage(page)
    if (page.limit === undefined || nextBefore === undefined) return payload
    return { ...payload, nextPage: `${path}?limit=${page.limit}&before=${nextBefore}` }
  }
}
