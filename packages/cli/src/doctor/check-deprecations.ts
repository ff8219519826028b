import { propertyOf } from '@public-api/contract/json/property-of'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { HEADERS } from '@public-api/contract/terms/headers'
import { parseInstant } from '@public-api/contract/text/instant'
import type { Received } from '../verifying/requests.ts'
import type { Check } from './check.ts'
import type { Survey } from './probe-deployment.ts'

/** The deprecated rows of the deployment's discovery index. */
function deprecatedRows({ of }: Survey) {
  const index = of(ENDPOINTS.index.path)
  const rows =
    index?.isAsPromised === true
      ? propertyOf(propertyOf(index.content, 'data'), 'endpoints')
      : undefined
  if (!Array.isArray(rows)) return []
  return rows
    .filter((row: unknown) => propertyOf(row, 'status') === 'deprecated')
    .map((row: unknown) => {
      const text = (name: string): string => String(propertyOf(row, name))
      return {
        method: text('method'),
        path: text('path'),
        deprecatedAt: text('deprecatedAt'),
        sunsetAt: text('sunsetAt'),
        successor: text('successor'),
      }
    })
}

/** The deprecation signals that differ from the index (RFC 9745, RFC 8594). */
function missingSignals(row: ReturnType<typeof deprecatedRows>[number], field: Received['field']) {
  const expected: readonly (readonly [name: string, isSent: boolean])[] = [
    [
      HEADERS.deprecation,
      field(HEADERS.deprecation) ===
        `@${Math.floor((parseInstant(row.deprecatedAt) ?? NaN) / 1000)}`,
    ],
    [
      HEADERS.sunset,
      field(HEADERS.sunset) === new Date(parseInstant(row.sunsetAt) ?? 0).toUTCString(),
    ],
    [
      HEADERS.link,
      field(HEADERS.link)?.includes(`<${row.successor}>; rel="successor-version"`) === true,
    ],
  ]
  return expected.filter(([, isSent]) => !isSent).map(([name]) => name)
}

/** Reports deprecated endpoints, and whether their responses announce it. */
export const checkDeprecations: Check = async (survey, report, { nowMs }) => {
  for (const row of deprecatedRows(survey)) {
    const where = `${row.method} ${row.path}`
    const sunsetMs = parseInstant(row.sunsetAt)
    const isPast = sunsetMs !== undefined && sunsetMs <= nowMs()
    report(
      isPast ? 'sunset-passed' : 'endpoint-deprecated',
      where,
      `sunset ${row.sunsetAt}, successor ${row.successor}`,
    )
    const observed = row.method === 'GET' ? survey.of(row.path) : undefined
    if (observed?.isAsPromised !== true || observed.code !== undefined) continue
    const missing = missingSignals(row, observed.response.field)
    if (missing.length > 0) report('deprecation-missing', where, `no ${missing.join(', no ')}`)
  }
  return undefined
}
