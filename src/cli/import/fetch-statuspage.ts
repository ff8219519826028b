import { CommandFailure } from '@public-api/cli-kit/command'
import { UnreachableError } from '@public-api/cli/src/verifying/requests.ts'
import { messageOf } from '@public-api/contract/errors/error-message'
import { readBoundedBody } from '@public-api/contract/http/read-bounded-body'
import { parseJson } from '@public-api/contract/json/parse-json'

const DOCUMENTS = ['summary', 'incidents', 'scheduled-maintenances']
/** Real documents have at most a few hundred kB. */
export const MAX_DOCUMENT_BYTES = 8_388_608
const MAX_REDIRECTS = 3

async function fetchDocument(first: URL, signal: AbortSignal): Promise<unknown> {
  let url = first
  let hasBegun = false
  const failure = (text: string) => new CommandFailure('STATUSPAGE', `${url.href} ${text}`)
  try {
    for (let redirects = 0; ; redirects += 1) {
      const headers = { Accept: 'application/json' }
      const response = await fetch(url, { redirect: 'manual', signal, headers })
      const location = response.headers.get('location')
      const isRedirect = response.status >= 300 && response.status < 400 && location !== null
      if (!isRedirect && response.status === 200) {
        hasBegun = true
        const body = await readBoundedBody(response, MAX_DOCUMENT_BYTES)
        if (body === undefined) throw failure(`has more than ${MAX_DOCUMENT_BYTES} bytes`)
        const document = parseJson(body)
        if (document === undefined) throw failure('did not return JSON; expected a Statuspage')
        return document
      }
      await response.body?.cancel()
      if (!isRedirect) throw failure(`responded with status ${response.status}, expected 200`)
      const next = URL.parse(location, url)
      if (redirects === MAX_REDIRECTS) throw failure(`redirects more than ${MAX_REDIRECTS} times`)
      const isKept = next?.protocol === url.protocol || next?.protocol === 'https:'
      if (next === null || !isKept) throw failure('redirects to a URL that is not https')
      url = next
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    const late = `${url.href} did not ${hasBegun ? 'end' : 'respond'} in time`
    if (signal.aborted) throw new UnreachableError(late)
    const reason = messageOf((error as Error).cause ?? error)
    const what = hasBegun ? 'ended early' : 'cannot be reached'
    throw new UnreachableError(`${url.href} ${what} (${reason})`)
  }
}

/**
 * Fetches the public documents of a Statuspage. `page` is its URL, also that of one of its documents. Rejects with a
 * CommandFailure, after `timeoutMs` in all.
 */
export async function fetchStatuspage(page: URL, timeoutMs: number): Promise<readonly unknown[]> {
  const signal = AbortSignal.timeout(timeoutMs)
  const base = page.pathname.replace(/\/api(?:\/v2(?:\/[^/]*)?)?\/?$/, '').replace(/\/$/, '')
  return Promise.all(
    DOCUMENTS.map((name) =>
      fetchDocument(new URL(`${base}/api/v2/${name}.json`, page.origin), signal),
    ),
  )
}
