import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { CORS, HEADERS } from '@public-api/contract/terms/headers'
import type { Received } from '../verifying/requests.ts'
import type { Check } from './check.ts'
import type { Report } from './findings.ts'
import { listOf } from './header-lists.ts'

/** A reserved name (RFC 2606). */
const ORIGIN = 'https://doctor.invalid'
const CREDENTIALS = 'Access-Control-Allow-Credentials'
/** A read without a body: a POST to it is refused and changes nothing. */
const READ_ONLY = ENDPOINTS.time.path

function lower(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase())
}

function inspectRead({ field }: Received, where: string, report: Report): void {
  const origin = field(HEADERS.accessControlAllowOrigin)
  if (field(CREDENTIALS) !== undefined) report('cors-credentials', where, field(CREDENTIALS) ?? '')
  if (origin === undefined) return report('cors-missing', where, 'no header')
  if (origin !== CORS.allowOrigin) report('cors-origin', where, origin)
  const exposed = listOf(field(HEADERS.accessControlExposeHeaders))
  const missing = CORS.exposeHeaders.filter((name) => !exposed.includes(name.toLowerCase()))
  if (missing.length > 0) report('cors-expose', where, `no ${missing.join(', no ')}`)
}

function inspectPreflight({ status, field }: Received, where: string, report: Report): void {
  const methods = listOf(field(HEADERS.accessControlAllowMethods))
  const headers = listOf(field(HEADERS.accessControlAllowHeaders))
  const wanting = [
    ...(status >= 200 && status < 300 ? [] : [`status ${status}`]),
    ...(field(HEADERS.accessControlAllowOrigin) === CORS.allowOrigin
      ? []
      : [`origin ${field(HEADERS.accessControlAllowOrigin) ?? 'not allowed'}`]),
    ...lower(['GET', 'HEAD']).filter((name) => !methods.includes(name)),
    ...lower(CORS.allowHeaders).filter((name) => !headers.includes(name)),
  ]
  if (wanting.length > 0) report('preflight-wrong', where, `wanting: ${wanting.join(', ')}`)
  const offered = methods.filter((name) => !lower(CORS.allowMethods).includes(name))
  if (offered.length > 0) report('preflight-offers', where, offered.join(', ').toUpperCase())
}

function inspectWrite({ headers }: Received, where: string, report: Report): void {
  const found = headers.filter(([name]) => name.toLowerCase().startsWith('access-control-'))
  if (found.length > 0) {
    report('cors-on-write', where, found.map(([name]) => name).join(', '))
  }
}

/** Checks that pages of other sites can read everything and write nothing. Sends nothing that could write. */
export const checkCors: Check = async ({ observed, probe, of }, report) => {
  for (const { isAsPromised, hasCors, response, where } of observed) {
    if (!isAsPromised) continue
    if (hasCors) inspectRead(response, where, report)
    else inspectWrite(response, where, report)
  }
  const { path } = ENDPOINTS.status
  const plain = of(path)
  const simple = await probe.ask({ method: 'GET', target: path, headers: { Origin: ORIGIN } })
  if (plain?.isAsPromised === true && simple.status === 200) {
    inspectRead(simple, `GET ${path} (with Origin)`, report)
  }
  const preflight = {
    Origin: ORIGIN,
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'authorization',
  }
  const read = await probe.ask({ method: 'OPTIONS', target: path, headers: preflight })
  inspectPreflight(read, `OPTIONS ${path}`, report)

  const registration = ENDPOINTS.register.path
  const headers = { ...preflight, 'Access-Control-Request-Method': 'POST' }
  const write = await probe.ask({ method: 'OPTIONS', target: registration, headers })
  inspectWrite(write, `OPTIONS ${registration}`, report)
  const post = await probe.ask({ method: 'POST', target: READ_ONLY, headers: { Origin: ORIGIN } })
  if (propertyOf(propertyOf(parseJson(post.body), 'error'), 'code') !== 'METHOD_NOT_ALLOWED') {
    const found = `status ${post.status}, not the service’s 405 METHOD_NOT_ALLOWED`
    report('post-refused', `POST ${READ_ONLY}`, found)
  } else inspectWrite(post, `POST ${READ_ONLY}`, report)
  return undefined
}
