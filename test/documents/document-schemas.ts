import type { OpenApiDocument } from '@public-api/contract/documents/openapi'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'

/** Checks a value against a schema; gives what is wrong with it, nothing for a valid value. */
export type SchemaCheck = (value: unknown) => readonly string[]

function createAjv(): Ajv {
  const keywords = ['example', 'discriminator']
  const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, keywords })
  ajvFormats.default(ajv)
  return ajv
}

function checkOf(ajv: Ajv, schema: object): SchemaCheck {
  const validate = ajv.compile(schema)
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const schemaChecks = new WeakMap<JsonSchema, SchemaCheck>()

/** The check of one schema literal of the contract. A schema is compiled once. */
export function schemaCheck(schema: JsonSchema): SchemaCheck {
  const check = schemaChecks.get(schema) ?? checkOf(createAjv(), schema)
  schemaChecks.set(schema, check)
  return check
}

/** The checks of the schemas inside an OpenAPI document, by the path of their place in it. */
export function documentSchemaChecks(
  document: OpenApiDocument,
): (...place: readonly string[]) => SchemaCheck {
  const ajv = createAjv()
  // The document as a whole is not a schema; it is added so that references inside it find their target, and its own
  // members are made known so that the strict mode, which the schemas inside are held to, lets it in.
  ajv.addVocabulary(Object.keys(document))
  ajv.addSchema(document, 'document', undefined, false)
  const checks = new Map<string, SchemaCheck>()
  return (...place) => {
    const pointer = place
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/')
    const check = checks.get(pointer) ?? checkOf(ajv, { $ref: `document#/${pointer}` })
    checks.set(pointer, check)
    return check
  }
}
