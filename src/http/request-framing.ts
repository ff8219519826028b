import type { IncomingMessage } from 'node:http'

/** `scheme://authority`. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]+)/i
/**
 * `uri-host [ ":" port ]` (RFC 9110 7.2, RFC 3986 3.2.2). A host that is empty, or a user before it, makes an http address
 * invalid (RFC 9110 4.2.1 and 4.2.4).
 */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::\d*)?$/i

/** The request target in origin form, or undefined when it is of no form that is served (RFC 9112 3.2). */
export function originFormOf(target: string): string | undefined {
  if (target.startsWith('/')) return target
  const [start = '', authority = ''] = ABSOLUTE_FORM.exec(target) ?? []
  if (!HOST.test(authority)) return undefined
  const rest = target.slice(start.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Whether the request has the one well-formed Host that RFC 9112 3.2 asks for (HTTP/1.0 may have none). */
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

/** Whether the body is in a transfer coding that nobody here undoes (RFC 9112 6.1). */
function isCoded({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding']
  return coding !== undefined && coding.trim().toLowerCase() !== 'chunked'
}

/** Whether nobody can tell where the body ends: a transfer coding, but not chunked at last (RFC 9112 6.3). */
export function hasOpenEnd({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding']
  return coding !== undefined && !/(?:^|,)[ \t]*chunked$/i.test(coding)
}

/** The one expectation that HTTP has; each line and each member of a list states another (RFC 9110 10.1.1). */
export function expectsContinueOnly({ headers }: IncomingMessage): boolean {
  const expectations = headers.expect?.split(',') ?? []
  return expectations.every((each) => each.trim().toLowerCase() === '100-continue')
}

/** The status that refuses a request for what is around its target and body, or undefined. */
export function framingFault(request: IncomingMessage): 400 | 501 | undefined {
  // The parser knows more versions than have this syntax.
  if (request.httpVersionMajor !== 1 || !hasValidHost(request)) return 400
  return isCoded(request) ? 501 : undefined
}
