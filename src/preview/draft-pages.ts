import { readFileSync } from 'node:fs'
import { HEADERS, NO_INDEX_HEADERS } from '@public-api/contract/terms/headers'
import { type ApiRequest, type App, bytesOfBody, type Reply } from '../http/api-request.ts'
import { refuseForeign } from '../http/private-port.ts'
import { escapeMarkdown } from '../pages/markdown/markdown-text.ts'
import { html, type Html } from '../pages/markup/html.ts'
import { MARKDOWN_TYPE } from '../pages/page.ts'
import { securityHeaders } from '../pages/serving/security-headers.ts'
import { type ContentMistake, formatMistake } from '../publishing/rules/content-mistake.ts'

/** What the preview shows now. */
export interface PreviewState {
  /** Grows with every change of the folder. */
  readonly revision: number
  /** The last content without mistakes; undefined until there is one. */
  readonly app: App | undefined
  /** What the ribbon says about that content. */
  readonly title: string
  readonly mistakes: readonly ContentMistake[]
}

const FILES: { readonly [path: string]: { readonly type: string; readonly bytes: Buffer } } = {
  '/preview/reload.js': {
    type: 'text/javascript; charset=utf-8',
    bytes: readFileSync(new URL('reload.js', import.meta.url)),
  },
  '/preview/ribbon.css': {
    type: 'text/css; charset=utf-8',
    bytes: readFileSync(new URL('ribbon.css', import.meta.url)),
  },
}

const MAX_SHOWN = 20

function createReply(status: number, type: string, body: string | Buffer): Reply {
  const headers = [
    HEADERS.contentType,
    type,
    HEADERS.contentLength,
    String(Buffer.byteLength(body)),
    ...securityHeaders(),
    ...NO_INDEX_HEADERS,
  ]
  return { status, headers, body }
}

function renderRibbon({ title, mistakes }: PreviewState): Html {
  const more = mistakes.length - MAX_SHOWN
  return html`<div class="draft-ribbon" role="status" lang="en">
    <strong>Draft</strong> ${title}
    ${
      mistakes.length === 0
        ? ''
        : html`<ol>
            ${mistakes
              .slice(0, MAX_SHOWN)
              .map((mistake) => html`<li><code>${formatMistake(mistake)}</code></li>`)}
          </ol>`
    }
    ${more > 0 ? html`<p>and ${String(more)} more, on the terminal</p>` : ''}
  </div>`
}

function renderHead({ revision }: PreviewState): Html {
  return html`<link rel="stylesheet" href="/preview/ribbon.css" />
    <script type="module" src="/preview/reload.js?revision=${String(revision)}"></script>`
}

function renderEmptyPage(state: PreviewState): string {
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <title>Draft</title>
      ${renderHead(state)}
    </head>
    <body>
      ${renderRibbon(state)}
    </body>
  </html>`
  return `<!doctype html>${page.text}`
}

/** The same request for a body without a content coding, and without a condition: a draft changes at any time. */
function plainRequest(request: ApiRequest): ApiRequest {
  const isHidden = (name: string) => name === 'accept-encoding' || name === 'if-none-match'
  return { ...request, header: (name) => (isHidden(name) ? undefined : request.header(name)) }
}

function typeOf(headers: readonly string[]): string {
  return headers[headers.indexOf(HEADERS.contentType) + 1] ?? ''
}

function without(headers: readonly string[], names: RegExp): readonly string[] {
  return headers.filter((_, index) => !names.test(headers[index - (index % 2)] ?? ''))
}

/** Headers that let caches store a response, or other sites read or embed it. */
const PUBLIC_HEADERS =
  /^(?:access-control-.*|cache-control|cdn-cache-control|cross-origin-resource-policy)$/i

/** The same response for this machine alone. */
function makePrivate({ status, headers, body }: Reply): Reply {
  const added = [HEADERS.cacheControl, 'no-store', 'Cross-Origin-Resource-Policy', 'same-origin']
  return { status, headers: [...without(headers, PUBLIC_HEADERS), ...added], body }
}

/** A page with the ribbon, and its other headers. */
function markAsDraft({ status, headers, body }: Reply, state: PreviewState): Reply {
  const text = bytesOfBody(body ?? '').toString()
  const page = typeOf(headers).startsWith(MARKDOWN_TYPE)
    ? `> Draft: ${escapeMarkdown(state.title)}\n\n${text}`
    : text
        .replace('</head>', () => `${renderHead(state).text}</head>`)
        .replace(/<body[^>]*>/, (start) => `${start}${renderRibbon(state).text}`)
  return {
    status,
    headers: [
      ...without(headers, /^(?:content-length|etag)$/i),
      HEADERS.contentLength,
      String(Buffer.byteLength(page)),
    ],
    body: page,
  }
}

function isPage({ headers, body }: Reply): boolean {
  return body !== undefined && /^text\/(?:html|markdown)/.test(typeOf(headers))
}

/** The draft's pages and API, and what reloads an open page. */
export function createDraftApp(current: () => PreviewState): App {
  async function respond(request: ApiRequest): Promise<Reply> {
    const { path } = request
    const refusal = refuseForeign(request.header)
    if (refusal !== undefined) {
      return createReply(refusal.status, 'text/plain; charset=utf-8', `${refusal.reason}\n`)
    }
    const file = FILES[path]
    if (file !== undefined) return createReply(200, file.type, file.bytes)
    const state = current()
    if (path === '/preview/revision') {
      return createReply(200, 'text/plain; charset=utf-8', String(state.revision))
    }
    if (state.app === undefined) {
      return createReply(503, 'text/html; charset=utf-8', renderEmptyPage(state))
    }
    const isForApi = path.startsWith('/api')
    const reply = await state.app(isForApi ? request : plainRequest(request))
    return isPage(reply) ? markAsDraft(reply, state) : reply
  }

  return async (request) => makePrivate(await respond(request))
}
