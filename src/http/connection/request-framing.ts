import type { IncomingMessage } from 'node:http'

/** `scheme://authority`. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]+)/i
/**
 * `uri-host [ ":" port ]` (RFC 9110 7.2, RFC 3986 3.2.2). An empty host or a user makes an http URL invalid (RFC 9110
 * 4.2.1 and 4.2.4).
 */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::\d*)?$/i

/** The request target in origin form; undefined for an unsupported form (RFC 9112 3.2). */
export function toOriginForm(target: string): string | undefined {
  if (target.startsWith('/')) return target
  const [start = '', authority = ''] = ABSOLUTE_FORM.exec(target) ?? []
  if (!HOST.test(authority)) return undefined
  const rest = target.slice(start.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Whether the request has exactly one well-formed Host (RFC 9112 3.2); HTTP/1.0 may omit it. */
function hasValidHost(request: IncomingMessage): boolean {
  const { rawHeaders } = request
  let host: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== undefined) return false
    host = rawHeaders[index + 1] ?? ''
  }
  if (host === undefined) return request.httpVersion === '1.0'
  return HOST.test(host)
}

/** Whether the body has a transfer coding and the last one is not chunked, so that its end is unknown (RFC 9112 6.3). */
export function hasUndelimitedBody({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding']
  return coding !== undefined && !/(?:^|,)[ \t]*chunked$/i.test(coding)
}

/** Whether the client expects something; HTTP/1.0 has no expectations (RFC 9110 10.1.1). */
export function expectsContinue({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.expect !== undefined
}

/** Whether 100-continue is the only expectation; each line and each member of a list is one. */
function isContinueOnly({ headers }: IncomingMessage): boolean {
  const expectations = headers.expect?.split(',') ?? []
  return expectations.every((each) => each.trim().toLowerCase() === '100-continue')
}

/** The status that rejects a request for its version, Host, expectation or framing; undefined if they are valid. */
export function framingFault(request: IncomingMessage): 400 | 417 | 501 | undefined {
  // The parser accepts malformed versions.
  if (request.httpVersionMajor !== 1 || !hasValidHost(request)) return 400
  if (expectsContinue(request) && !isContinueOnly(request)) return 417
  const coding = request.headers['transfer-encoding']
  // HTTP/1.0 has no transfer codings; any but chunked is not decoded (RFC 9112 6.1).
  if (request.httpVersion === '1.0' && coding !== undefined) return 400
  return coding !== undefined && coding.trim().toLowerCase() !== 'chunked' ? 501 : undefined
}

/** Whether the client asked for a close after the response (RFC 9112 9.3). */
export function asksForClose({
  httpVersion,
  headers: { connection = '' },
}: IncomingMessage): boolean {
  if (/\bclose\b/i.test(connection)) return true
  return httpVersion === '1.0' && !/\bkeep-alive\b/i.test(connection)
}
