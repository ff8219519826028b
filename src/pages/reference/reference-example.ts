import { createExample } from '@public-api/contract/documents/examples'
import { createOpenApiBeginning } from '@public-api/contract/documents/openapi'
import type { ErrorCode } from '@public-api/contract/errors/errors'
import { createErrorBody, formatError } from '@public-api/contract/http/envelope'
import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
} from '@public-api/contract/json/canonical-json'
import type { Endpoint } from '@public-api/contract/registry/endpoints'
import { DATA_SCHEMAS } from '@public-api/contract/registry/schemas'
import { escapeContent, type Html } from '../markup/html.ts'
import type { PageContext } from '../page.ts'

/** Line length that the column of examples shows without scrolling. */
const LINE_CHARACTERS = 50
/** Examples with more lines scroll. */
const MAX_LINES = 18
/** Entries of a list, and members of an object on a deeper level. */
const MAX_PARTS = 5
/** The level of objects whose members are all shown: `data`, and the objects in it. */
const WHOLE_LEVELS = 2
/** Maximum length of strings. */
const TEXT_CHARACTERS = 60
const MORE = '…'

function textOf(value: string): string {
  const shown = value.length > TEXT_CHARACTERS ? value.slice(0, TEXT_CHARACTERS - 8) + MORE : value
  return JSON.stringify(shown)
}

/** The first entry of a list of objects, or the first texts or numbers. */
function listParts(list: readonly JsonValue[], level: number): readonly string[] {
  const isPlain = list.every((each) => typeof each !== 'object')
  const shown = list.slice(0, isPlain ? MAX_PARTS : 1)
  const parts = shown.map((each) => compactJson(each, level))
  return shown.length < list.length ? [...parts, MORE] : parts
}

/** The members of an object; on deeper levels the first ones. */
function objectParts(value: JsonObject, level: number): readonly string[] {
  const members = Object.entries(value)
  const shown = level > WHOLE_LEVELS ? members.slice(0, MAX_PARTS) : members
  const parts = shown.map(([name, each = null]) => `"${name}": ${compactJson(each, level)}`)
  return shown.length < members.length ? [...parts, MORE] : parts
}

/** Compact JSON: short values are on one line, and lists and objects on deeper levels are shortened. */
function compactJson(value: JsonValue, level = 0): string {
  if (typeof value === 'string') return textOf(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const [indent, deeper] = ['  '.repeat(level), '  '.repeat(level + 1)]
  const isList = Array.isArray(value)
  const [open, close] = isList ? '[]' : '{}'
  const parts = isList ? listParts(value, level + 1) : objectParts(value as JsonObject, level + 1)
  const line = `${open}${parts.join(', ')}${close}`
  if (line.length + indent.length <= LINE_CHARACTERS && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`
}

function responseHtml(status: number, body: string): Html {
  return escapeContent(`HTTP ${status}\n${body}`)
}

/** A complete error: the status, then the body with a line for each member. It has placeholders for its identity. */
export function exampleError(code: ErrorCode): Html {
  const error = createErrorBody(code)
  const requestId = '00000000-0000-4000-8000-000000000000'
  const text = formatError({ requestId, issuedAt: '2000-01-01T00:00:00.000Z' }, error)
  return responseHtml(error.status, JSON.stringify(JSON.parse(text), undefined, 2))
}

/** Data of this deployment for an endpoint that always has the same, if it is served. */
function realData(
  { facts }: PageContext,
  { path, parameter, query, success, cacheClass }: Endpoint,
): JsonValue | undefined {
  if (cacheClass !== 'static-snapshot') return undefined
  // The whole document would take long to make.
  if (success?.data === 'OpenApiDocument') {
    const { registry, registryVersion, issuance, origin: baseUrl } = facts
    const beginning = createOpenApiBeginning({ registry, registryVersion, issuance, baseUrl })
    return JSON.parse(canonicalJson(beginning)) as JsonObject
  }
  const target = path.replace(/\{.*\}/, parameter?.example ?? '')
  const body = facts.read(query === undefined ? target : `${target}?limit=2`) as
    | JsonObject
    | undefined
  return body?.['data']
}

/** An example response with its status: data of this deployment if available, else from the schema. */
export function createEndpointExample(context: PageContext, row: Endpoint) {
  const { success, failure } = row
  const real = realData(context, row)
  let body = exampleError(failure)
  if (success !== undefined) {
    const text = compactJson(real ?? createExample(DATA_SCHEMAS[success.data]))
    const whole =
      success.envelope === 'none'
        ? text.replace(/\n\}$/, `,\n  ${MORE}\n}`)
        : `{"ok": true, ${MORE}, "data": ${text}}`
    body = responseHtml(success.status, whole)
  }
  return {
    body,
    /** Whether this deployment serves the data. */
    isReal: real !== undefined,
    /** Whether it has more lines than are shown without scrolling. */
    isLong: body.text.split('\n').length > MAX_LINES,
  }
}
