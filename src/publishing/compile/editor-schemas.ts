import { pastEventsResource } from '@public-api/contract/snapshots/past-events'
import {
  isTranslatable,
  itemKeyName,
  type TranslationLocale,
} from '@public-api/contract/snapshots/translations'
import { type JsonSchema, mapSubschemas } from '@public-api/contract/terms/schema-type'
import { contentFiles } from '../rules/content-folder.ts'
import {
  contentSchema,
  IMPORT_FIELDS,
  type ImportField,
  SETTINGS_FILE,
  SETTINGS_SCHEMA,
} from '../rules/content-schemas.ts'
import { hasTranslatable } from '../translations/overlay-parts.ts'

/** A JSON Schema of draft-07, which editors support. */
interface EditorSchema {
  readonly [keyword: string]: unknown
}

/** Name of the folder of schemas in a content folder. Its dot excludes it from the content. */
const SCHEMAS_FOLDER = '.schemas'

const DRAFT = 'http://json-schema.org/draft-07/schema#'

/** The same schema, closed and with the keywords of JSON Schema instead of OpenAPI's. */
function convert(schema: JsonSchema): EditorSchema {
  const { example, ...rest } = schema
  return {
    ...rest,
    ...(example === undefined ? {} : { examples: [example] }),
    ...(schema.properties === undefined ? {} : { additionalProperties: false }),
    ...mapSubschemas(schema, convert),
  }
}

function withImport(schema: JsonSchema, { name, replaces, schema: field }: ImportField) {
  return {
    ...convert({ ...schema, properties: { ...schema.properties, [name]: field } }),
    required: schema.required?.filter((each) => !replaces.includes(each)),
    oneOf: [{ required: replaces }, { required: [name] }],
  }
}

/** The schema of an overlay: the texts of a resource, lists by key or as lists. */
function overlaySchema(schema: JsonSchema): EditorSchema {
  const { description } = schema
  if (isTranslatable(schema)) {
    return { type: 'string', minLength: 1, maxLength: schema.maxLength, description }
  }
  if (schema.items !== undefined) {
    const keyName = itemKeyName(schema.items)
    const item = overlaySchema(schema.items)
    const key = { type: 'string', description: `The ${keyName} of the item that is translated.` }
    const properties = { [keyName ?? '']: key, ...(item['properties'] as object) }
    const listItem = keyName === undefined ? item : { ...item, properties, required: [keyName] }
    return {
      description,
      oneOf: [
        { type: 'array', items: listItem },
        { type: 'object', additionalProperties: item },
      ],
    }
  }
  return {
    type: 'object',
    description,
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(schema.properties ?? {})
        .filter(([, each]) => hasTranslatable(each))
        .map(([name, each]) => [name, overlaySchema(each)]),
    ),
  }
}

/**
 * The first line of a content file, by which editors find its schema. `file` is relative to the content folder, or with a
 * locale to the folder of its translations.
 */
export function schemaLine(file: string, locale?: TranslationLocale): string {
  const isOverlay = locale !== undefined
  const up = '../'.repeat(file.split('/').length - (isOverlay ? 0 : 1))
  const schemas = isOverlay ? `${SCHEMAS_FOLDER}/translations` : SCHEMAS_FOLDER
  return `# yaml-language-server: $schema=${up}${schemas}/${schemaFile(file)}`
}

/** Path of a content file's schema below the folder of schemas: `wallet/security.yaml` has `wallet/security.json`. */
function schemaFile(contentFile: string): string {
  return contentFile.replace(/^events\/\d+/, 'events').replace(/\.yaml$/, '.json')
}

/** The schemas for editors as files, by their path in the content folder. */
export function createSchemaFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const add = (file: string, schema: EditorSchema) =>
    files.set(
      `${SCHEMAS_FOLDER}/${schemaFile(file)}`,
      `${JSON.stringify({ $schema: DRAFT, ...schema }, null, 2)}\n`,
    )
  for (const [file, name] of contentFiles([pastEventsResource('0000')])) {
    const schema = contentSchema(name)
    const field = IMPORT_FIELDS[name]
    add(file, field === undefined ? convert(schema) : withImport(schema, field))
    add(`translations/${file}`, overlaySchema(schema))
  }
  return add(SETTINGS_FILE, convert(SETTINGS_SCHEMA))
}
