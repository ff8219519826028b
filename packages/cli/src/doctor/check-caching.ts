import { freshTarget } from '@public-api/client-internal/fresh-target'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import {
  CACHE_CLASSES,
  ERROR_CACHE_CONTROL,
  HEADERS,
  READ_VARY,
} from '@public-api/contract/terms/headers'
import { parseInstant } from '@public-api/contract/text/instant'
import type { Received } from '../verifying/requests.ts'
import { ageOf } from '../verifying/sanitize-for-terminal.ts'
import type { Check } from './check.ts'
import { DOCTOR_BOUNDS } from './doctor-bounds.ts'
import type { Report } from './findings.ts'
import { isSameList, listOf } from './header-lists.ts'
import type { Observation, Survey } from './probe-deployment.ts'

/** Forms of a snapshot's Cache-Control that documented caches send, who use the stale-while-revalidate up themselves. */
const SHORTENED = /^public, max-age=(?:0|60)$/

/** The request id of a response, from its body: a proxy may have removed the header. */
function requestIdOf({ body, field }: Received): unknown {
  return propertyOf(parseJson(body), 'requestId') ?? field(HEADERS.requestId)
}

function inspectHeaders({ where, row, code, response }: Observation, report: Report): void {
  const found = listOf(response.field(HEADERS.cacheControl))
  const received = response.field(HEADERS.cacheControl) ?? 'no Cache-Control'
  if (code !== undefined || row === undefined || row.cacheClass === 'none') {
    if (!found.includes(ERROR_CACHE_CONTROL)) report('error-cacheable', where, received)
    return
  }
  const { cacheControl } = CACHE_CLASSES[row.cacheClass]
  const isShortened = row.cacheClass === 'static-snapshot' && SHORTENED.test(received)
  if (!isShortened && !isSameList(found, listOf(cacheControl))) {
    report('cache-control', where, `${received}, expected ${cacheControl}`)
  }
  const vary = listOf(response.field(HEADERS.vary))
  if (!vary.includes('*') && !listOf(READ_VARY).every((name) => vary.includes(name))) {
    report('vary-missing', where, response.field(HEADERS.vary) ?? 'no Vary')
  }
}

/** Requests uncacheable responses a second time and compares. */
async function inspectAgain(
  observed: Observation,
  { probe }: Survey,
  report: Report,
): Promise<void> {
  const { response, where, row, code } = observed
  const id = requestIdOf(response)
  const again = await probe.ask({ method: 'GET', target: response.target }, 2)
  if (id === undefined || requestIdOf(again) !== id) return
  const age = again.field('Age')
  const found = `the same request id twice${age === undefined ? '' : `, Age: ${age}`}`
  if (code !== undefined || row?.cacheClass === 'none') report('no-store-cached', where, found)
  else report('short-lived-cached', where, found)
}

/** Whether a cache ignores the query. */
async function inspectQuery({ of, probe }: Survey, report: Report): Promise<void> {
  const target = ENDPOINTS.status.path
  const plain = of(target)
  const id = plain?.isAsPromised === true ? requestIdOf(plain.response) : undefined
  if (id === undefined) return
  const fresh = await probe.ask({ method: 'GET', target: freshTarget(target) })
  if (requestIdOf(fresh) === id) {
    report('query-ignored', `GET ${target}`, 'the same response with and without a query')
  }
}

/** Checks that responses are cached as long as allowed, and no longer. */
export const checkCaching: Check = async (survey, report) => {
  const { observed, skewMs } = survey
  for (const each of observed) {
    if (!each.isAsPromised) continue
    inspectHeaders(each, report)
    const { where, row, code, response, verification } = each
    if (row?.cacheClass === 'static-snapshot' && verification.verified !== undefined) {
      // A response that a 304 has renewed is as old as that.
      const renewed = response.field(HEADERS.revalidated)?.split(';')[0] ?? ''
      const provedAtMs = Math.max(verification.verified.provedAtMs, parseInstant(renewed) ?? 0)
      const ageSeconds = (response.receivedAtMs + skewMs - provedAtMs) / 1000
      if (ageSeconds > DOCTOR_BOUNDS.cachedAgeSeconds) {
        report('cached-too-long', where, `signed ${ageOf(ageSeconds)} ago`)
      }
    }
    if (code !== undefined || row?.path === ENDPOINTS.time.path) {
      await inspectAgain(each, survey, report)
    }
  }
  await inspectQuery(survey, report)
  return undefined
}
