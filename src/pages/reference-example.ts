import { BASE_PATH } from '../contract/api-version.ts'
import type { JsonValue } from '../contract/canonical-json.ts'
import type { Endpoint } from '../contract/endpoints.ts'
import { createErrorBody, formatError } from '../contract/envelope.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { JSON_MEDIA_TYPE, HEADERS } from '../contract/headers.ts'
import { propertyOf } from '../contract/property-of.ts'
import { DATA_SCHEMAS, REQUEST_SCHEMAS } from '../contract/schemas.ts'
import { createExample } from '../documents/examples.ts'
import { Html } from './html.ts'
import type { PageContext } from './page.ts'

/** Line length that the column of examples shows without scrolling. */
const LINE_CHARACTERS = 50
/** Examples with more lines scroll. */
const MAX_LINES = 18
/** Maximum length of strings. */
const TEXT_CHARACTERS = 72
const MORE = '…'

function textOf(value: string): string {
  const shown = value.length > TEXT_CHARACTERS ? value.slice(0, TEXT_CHARACTERS - 8) + MORE : value
  return JSON.stringify(shown)
}

/** The first entry of a list of objects, or all entries of a list of texts or numbers. */
function listParts(list: readonly JsonValue[], indent: string): readonly string[] {
  const shown = list.every((each) => typeof each !== 'object') ? list : list.slice(0, 1)
  const parts = shown.map((each) => compactJson(each, indent))
  return shown.length < list.length ? [...parts, MORE] : parts
}

/** Compact JSON: short values are on one line, and lists of objects show their first entry. */
function compactJson(value: JsonValue, indent = ''): string {
  if (typeof value === 'string') return textOf(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const deeper = `${indent}  `
  const isList = Array.isArray(value)
  const [open, close] = isList ? '[]' : '{}'
  const parts = isList
    ? listParts(value, deeper)
    : Object.entries(value).map(([name, each = null]) => `"${name}": ${compactJson(each, deeper)}`)
  const line = `${open}${parts.join(', ')}${close}`
  if (line.length + indent.length <= LINE_CHARACTERS && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`
}

/** Text between tags, where quotation marks need no escaping. */
function inElement(text: string): Html {
  return new Html(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
}

/** The path of an endpoint with its example parameter. */
function examplePath({ path, parameter }: Endpoint): string {
  return parameter === undefined
    ? path
    : path.replace(`{${parameter.name}}`, encodeURIComponent(parameter.example))
}

/** Quotes a text for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A curl command that calls an endpoint with example values. */
export function formatCurl(row: Endpoint, origin: string): Html {
  const { method, authentication, request } = row
  const words = [
    `curl -i ${method === 'GET' ? '' : `-X ${method} `}${origin}${examplePath(row)}`,
    // The shell expands the key, so that it is not in the shell's history.
    ...(authentication === 'api-key' ? [`-H "${HEADERS.authorization}: Bearer $API_KEY"`] : []),
    ...(request === undefined
      ? []
      : [
          `-H '${HEADERS.contentType}: ${JSON_MEDIA_TYPE}'`,
          `-d ${quoted(JSON.stringify(createExample(REQUEST_SCHEMAS[request]), undefined, 2))}`,
        ]),
  ]
  // A long URL breaks after the base path.
  const { text } = inElement(words.join(' \\\n '))
  return new Html(text.replace(`${origin}${BASE_PATH}/`, '$&<wbr>'))
}

/** The envelope members of every example besides `data`. */
const REST_OF_ENVELOPE = `"ok": true, ${MORE}, "data": `

function responseHtml(status: number, body: string): Html {
  return inElement(`HTTP ${status}\n${body}`)
}

/** Placeholders for the identity of a response. */
const NO_IDENTITY = {
  requestId: '00000000-0000-4000-8000-000000000000',
  issuedAt: '2000-01-01T00:00:00.000Z',
} as const

/** A complete error: the status, then the body with a line for each member. */
export function exampleError(code: ErrorCode): Html {
  const error = createErrorBody(code)
  const body: unknown = JSON.parse(formatError(NO_IDENTITY, error))
  return responseHtml(error.status, JSON.stringify(body, undefined, 2))
}

/** Data of this deployment for an endpoint, from its OpenAPI document, if any. */
function realData(
  { facts }: PageContext,
  { method, path, success }: Endpoint,
): JsonValue | undefined {
  const document = facts.openApi
  if (document === undefined || success === undefined) return undefined
  if (success.data === 'OpenApiDocument') {
    const { paths: _, components: __, ...beginning } = document
    return beginning
  }
  const operation: unknown = document.paths[path]?.[method.toLowerCase()]
  // An example that was composed from the schema has another name.
  const place = ['responses', String(success.status), 'content', JSON_MEDIA_TYPE]
  return [...place, 'examples', 'current', 'value', 'data'].reduce(propertyOf, operation) as
    | JsonValue
    | undefined
}

/** Marks an object as incomplete. */
function withMore(text: string): string {
  return text.replace(/\n\}$/, `,\n  ${MORE}\n}`)
}

/** An example response. */
export interface ExampleResponse {
  readonly body: Html
  /** Whether this deployment serves the data. */
  readonly isReal: boolean
  /** Whether it has more lines than are shown without scrolling. */
  readonly isLong: boolean
}

function exampleResponse(body: Html, isReal: boolean): ExampleResponse {
  return { body, isReal, isLong: body.text.split('\n').length > MAX_LINES }
}

/** An example response with its status: data of this deployment if available, else from the schema. */
export function createEndpointExample(context: PageContext, row: Endpoint): ExampleResponse {
  const { success, failure } = row
  if (success === undefined) return exampleResponse(exampleError(failure), false)
  const real = realData(context, row)
  const text = compactJson(real ?? createExample(DATA_SCHEMAS[success.data]))
  const { status, envelope } = success
  return exampleResponse(
    responseHtml(status, envelope === 'none' ? withMore(text) : `{${REST_OF_ENVELOPE}${text}}`),
    real !== undefined,
  )
}
