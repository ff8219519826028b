import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import type { ContractOutline, EndpointOutline } from './contract-outline.ts'

/**
 * What a contract states: values by sentences such as `GET /api/v1/status 200 data.state: maxLength`. Sentences that
 * begin alike share a table: `GET /api/v1/status`, ` 200 data`, `.state`, `: maxLength`. An undefined value states nothing.
 */
export type Statements = ReadonlyMap<string, unknown>

type Entry = readonly [sentence: string, value: unknown]

/** A value as it appears in a report. */
export const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

function entriesOf<Value>(
  prefix: string,
  values: { readonly [name: string]: Value },
  convert: (value: Value, name: string) => unknown = (value) => value,
): readonly Entry[] {
  return Object.entries(values).map(([name, value]) => [prefix + name, convert(value, name)])
}

const listOf = (names: readonly unknown[]): Statements =>
  new Map(names.map((name) => [` ${String(name)}`, true]))

function schemaStatements({
  properties = {},
  required = [],
  items,
  enum: values,
  additionalProperties: others = true,
  ...keywords
}: JsonSchema): Statements {
  const fieldStatements = (field: JsonSchema, name: string): Statements =>
    new Map<string, unknown>([
      [': field', required.includes(name) ? 'required' : 'optional'],
      ...schemaStatements(field),
    ])
  return new Map<string, unknown>([
    ...entriesOf(': ', keywords),
    [': value', values && listOf(values.map(show))],
    ...entriesOf('.', properties, fieldStatements),
    ['[]', items && schemaStatements(items)],
    [': other fields', typeof others === 'boolean' ? others : 'by a schema'],
    ['.*', typeof others === 'boolean' ? undefined : schemaStatements(others)],
  ])
}

function headerStatements({
  isAlwaysSent,
  schema,
  ...others
}: ContractOutline['headers']['request'][string]): Statements {
  // A header whose value is a list of field names, as that of Vary is, has several values.
  const values = schema.enum?.flatMap((value) => String(value).split(', '))
  return new Map<string, unknown>([
    ...entriesOf(': ', others),
    [': header', isAlwaysSent === true ? 'always' : 'sometimes'],
    ...schemaStatements(values === undefined ? schema : { ...schema, enum: values }),
  ])
}

/** Headers of a deprecated row, which it loses if the deprecation is revoked. */
const DEPRECATION_HEADERS: ReadonlySet<string> = new Set(['Deprecation', 'Sunset', 'Link'])

function rowStatements(
  { request, success, parameter, query, deprecation, responses, ...fields }: EndpointOutline,
  { dataSchemas, requestSchemas }: ContractOutline,
  isRevoked: boolean,
): Statements {
  const isLasting = (header: string): boolean => !isRevoked || !DEPRECATION_HEADERS.has(header)
  const responseStatements = (
    { codes, headers }: EndpointOutline['responses'][string],
    status: string,
  ): Statements =>
    new Map<string, unknown>([
      [': error code', listOf(codes)],
      [': header', listOf(headers.filter(isLasting))],
      ...(success?.status === Number(status) ? successStatements : []),
    ])
  const { data, ...envelope } = success ?? {}
  const successStatements = entriesOf(': ', { ...envelope, 'name of the schema': data })
  return new Map<string, unknown>([
    ...entriesOf(': ', fields),
    [` {${parameter?.name}}`, parameter && schemaStatements(parameter)],
    // Query parameters are like the optional fields of a request body.
    [' query', schemaStatements({ properties: query ?? {} })],
    [' body', request && schemaStatements(requestSchemas[request] ?? {})],
    [' deprecation', deprecation],
    ...entriesOf(' ', responses, responseStatements),
    [` ${success?.status} data`, success && schemaStatements(dataSchemas[success.data] ?? {})],
  ])
}

const termStatements = (term: unknown): unknown =>
  typeof term === 'object' && term !== null && !Array.isArray(term)
    ? new Map(entriesOf('.', { ...term }, termStatements))
    : term

/** What a contract states. A later contract may revoke its deprecations. */
export function statementsOf(contract: ContractOutline, later = contract): Statements {
  const { endpoints, errors, limits, headers, cors, terms } = contract
  return new Map<string, unknown>([
    ...entriesOf('', endpoints, (row, key) => {
      const isRevoked = row.deprecation !== undefined && !later.endpoints[key]?.deprecation
      return rowStatements(row, contract, isRevoked)
    }),
    ...entriesOf('error ', errors, (error) => new Map(entriesOf(': ', { ...error }))),
    ['routing: error code', listOf(contract.routeErrors)],
    ...entriesOf('limit ', limits),
    ['issuance', contract.issuance],
    ['error', schemaStatements(contract.errorSchema)],
    ...entriesOf('request header ', headers.request, headerStatements),
    ...entriesOf('response header ', headers.response, headerStatements),
    ...Object.entries(cors).map(([name, value]): Entry =>
      Array.isArray(value) ? [`CORS ${name}: value`, listOf(value)] : [`CORS ${name}`, value],
    ),
    ...entriesOf('', terms, termStatements),
  ])
}
