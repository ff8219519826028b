import { NO_INDEX_HEADERS } from '../contract/headers.ts'
import type { App, Reply } from '../http/api-request.ts'
import type { Challenge } from '../service/challenge.ts'
import type { Log } from '../service/log.ts'
import { createChallengePage } from './challenge.ts'

/** Headers of every page (contract decisions section 8). Nothing inline, nothing from elsewhere, no frame. */
const PAGE_HEADERS: readonly string[] = [
  'Content-Security-Policy',
  "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'strict-origin-when-cross-origin',
]

const NOT_FOUND_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page not found</title>
</head>
<body>
<main>
<h1>Page not found</h1>
<p>There is no page at this address. The API is listed at <a href="/api/v1">/api/v1</a>.</p>
</main>
</body>
</html>
`

const ROBOTS = {
  primary: 'User-agent: *\nAllow: /\n',
  preview: 'User-agent: *\nDisallow: /\n',
}

/** What lies outside the API. */
export interface SiteOptions {
  readonly deployment: 'primary' | 'preview'
  readonly challenge: Challenge
  readonly log: Log
}

function page(
  method: string,
  status: number,
  mediaType: string,
  text: string,
  extra: readonly string[],
): Reply {
  const headers = [
    'Content-Type',
    `${mediaType}; charset=utf-8`,
    'Content-Length',
    String(Buffer.byteLength(text)),
    ...PAGE_HEADERS,
    ...extra,
  ]
  return { status, headers, body: method === 'HEAD' ? undefined : text }
}

/** Answers every request outside `/api`: challenges, the robots file, and an HTML 404 for whatever is no page. */
export function createSite(options: SiteOptions): App {
  const { deployment } = options
  const challengePath = options.challenge.description.path
  const answerChallenge = createChallengePage(options)
  const robotsTag = deployment === 'preview' ? NO_INDEX_HEADERS : []
  return (request) => {
    const { method, path } = request
    if (path === challengePath && answerChallenge !== undefined) return answerChallenge(request)
    if (path !== '/robots.txt') {
      return page(method, 404, 'text/html', NOT_FOUND_PAGE, [
        'Cache-Control',
        'no-store',
        ...robotsTag,
      ])
    }
    if (method !== 'GET' && method !== 'HEAD') {
      const refused = ['Allow', 'GET, HEAD', 'Cache-Control', 'no-store', ...robotsTag]
      return page(method, 405, 'text/plain', 'Use GET or HEAD.\n', refused)
    }
    return page(method, 200, 'text/plain', ROBOTS[deployment], [
      'Cache-Control',
      'public, max-age=3600',
      ...robotsTag,
    ])
  }
}
