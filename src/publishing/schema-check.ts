import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import ajvFormats from 'ajv-formats'

import { parseInstant } from '../contract/instant.ts'
import { closeSchema, type JsonSchema } from '../contract/schema-type.ts'
import {
  type ContentMistake,
  describeValue,
  type FieldPath,
  formatFieldPath,
} from './content-mistake.ts'
import { expectedName } from '../contract/nearest-name.ts'
import type { ContentSource } from './yaml-source.ts'

/** A check of values against one schema. `T` is the type of valid values. */
export interface SchemaCheck<T> {
  /** Whether a value has the described shape. */
  accepts(value: unknown): value is T
  /** Every mistake of a parsed file, each with its place; empty if the value is valid. */
  mistakesOf(source: ContentSource): readonly ContentMistake[]
}

/** Keywords of which several can fail for one value. One report is enough. */
const SHAPE_KEYWORDS: ReadonlySet<string> = new Set([
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'enum',
])

const TYPE_NAMES = {
  object: 'a group of fields',
  array: 'a list',
  string: 'text',
  integer: 'an integer',
  boolean: 'true or false',
} as const

function describeExpected(schema: JsonSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.map(String).join(', ')}`
  const such =
    typeof schema.example === 'string' || typeof schema.example === 'number'
      ? ` such as ${schema.example}`
      : ''
  const atMost = schema.maxLength === undefined ? '' : ` of at most ${schema.maxLength} characters`
  if (schema.format === 'date-time') return `a UTC timestamp${such}`
  if (schema.format === 'date') return `a date${such}`
  if (schema.format === 'uri') return `an https URL${atMost}${such}`
  if (schema.pattern !== undefined) return `text${atMost} of the form ${schema.pattern},${such}`
  return `${TYPE_NAMES[schema.type ?? 'string']}${such}`
}

function parseStep(step: string): string | number {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~')
  // No described object has a member whose name is a number, so digits are an index.
  return /^\d+$/.test(plain) ? Number(plain) : plain
}

// With `verbose`, Ajv returns the schema object that it received, which is a JsonSchema.
function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}

interface Report {
  readonly path: FieldPath
  readonly part: 'name' | 'value'
  readonly found: string
  readonly expected: string
}

function toReport(error: ErrorObject<string, Readonly<Record<string, unknown>>>): Report {
  const path = error.instancePath.split('/').slice(1).map(parseStep)
  const schema = isSchema(error.parentSchema) ? error.parentSchema : {}
  const found = describeValue(error.data)
  const value = (expected: string): Report => ({ path, part: 'value', found, expected })
  const { params } = error
  switch (error.keyword) {
    case 'required': {
      const name = String(params['missingProperty'])
      const missing = schema.properties?.[name]
      return {
        path: [...path, name],
        part: 'value',
        found: 'nothing',
        expected: missing === undefined ? 'this field' : describeExpected(missing),
      }
    }
    case 'additionalProperties': {
      const name = String(params['additionalProperty'])
      const known = Object.keys(schema.properties ?? {})
      return {
        path: [...path, name],
        part: 'name',
        found: `the unknown field ${JSON.stringify(name)}`,
        expected: expectedName(name, known, 'a known field', `only ${known.join(', ')}`),
      }
    }
    case 'enum': {
      const words = (schema.enum ?? []).map(String)
      const expected = describeExpected(schema)
      return value(
        typeof error.data === 'string'
          ? expectedName(error.data, words, expected, expected)
          : expected,
      )
    }
    case 'type':
      return value(
        schema.type === 'string' &&
          (typeof error.data === 'number' || typeof error.data === 'boolean')
          ? `${describeExpected(schema)}; put it in quotes`
          : describeExpected(schema),
      )
    case 'minItems':
      return value(`a list of at least ${String(params['limit'])}`)
    case 'maxItems':
      return value(`a list of at most ${String(params['limit'])}`)
    case 'minimum':
      return value(`an integer of at least ${String(params['limit'])}`)
    case 'maximum':
      return value(`an integer of at most ${String(params['limit'])}`)
    case 'uniqueItems':
      return {
        path: [...path, Math.max(Number(params['i']), Number(params['j']))],
        part: 'value',
        found: 'a repeated item',
        expected: 'each item once',
      }
    case 'minLength':
      return value(describeExpected(schema))
    case 'maxLength':
      return value(
        schema.format === undefined && schema.pattern === undefined
          ? `text of at most ${String(params['limit'])} characters`
          : describeExpected(schema),
      )
    case 'format':
    case 'pattern':
      return value(describeExpected(schema))
    default:
      return value(error.message ?? 'something else')
  }
}

// Each schema is compiled once, because compiling costs more than all checks with it.
const compiled = new Map<JsonSchema, ValidateFunction>()

function compile(schema: JsonSchema): ValidateFunction {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const ajv = new Ajv({ allErrors: true, verbose: true, strict: true, keywords: ['example'] })
  ajvFormats.default(ajv, ['date', 'uri'])
  ajv.addFormat('date-time', (text: string) => parseInstant(text) !== undefined)
  const validate = ajv.compile(closeSchema(schema))
  compiled.set(schema, validate)
  return validate
}

/**
 * A check of content against a contract schema with every object closed: a field that is not described is a mistake.
 * `T` is the schema's type (`SchemaType`).
 */
export function createSchemaCheck<T>(schema: JsonSchema): SchemaCheck<T> {
  const validate = compile(schema)
  return {
    accepts(value): value is T {
      return validate(value)
    },
    mistakesOf(source) {
      if (validate(source.value)) return []
      const mistakes: ContentMistake[] = []
      const shapesReported = new Set<string>()
      for (const error of validate.errors ?? []) {
        if (SHAPE_KEYWORDS.has(error.keyword)) {
          if (shapesReported.has(error.instancePath)) continue
          shapesReported.add(error.instancePath)
        }
        const { path, part, found, expected } = toReport(error)
        mistakes.push({
          ...source.place(path, part),
          field: formatFieldPath(path),
          found,
          expected,
        })
      }
      return mistakes
    },
  }
}
