import {
  type TranslatedName,
  isTranslatedName,
  TRANSLATED_SCHEMAS,
} from '../contract/resource-names.ts'
import { closeSchema, type JsonSchema, mapSubschemas } from '../contract/schema-type.ts'
import { isTranslatable, itemKeyName } from '../contract/translations.ts'
import { hasTranslatable } from './compile-overlay.ts'
import { contentFileName } from './content-folder.ts'
import { contentSchema, IMPORT_FIELDS, type ImportField } from './content-schemas.ts'
import { SETTINGS_FILE, SETTINGS_SCHEMA } from './publishing-settings.ts'

/** A JSON Schema of draft-07, which editors support. */
export interface EditorSchema {
  readonly [keyword: string]: unknown
}

/** Name of the folder of schemas in a content folder. Its dot excludes it from the content. */
export const SCHEMAS_FOLDER = '.schemas'

const DRAFT = 'http://json-schema.org/draft-07/schema#'

/** The same schema with the keywords of JSON Schema instead of OpenAPI's. */
function convert(schema: JsonSchema): EditorSchema {
  const { example, nullable, type, items, properties, additionalProperties, ...rest } = schema
  return {
    ...rest,
    ...(type === undefined ? {} : { type: nullable === true ? [type, 'null'] : type }),
    ...(example === undefined ? {} : { examples: [example] }),
    ...mapSubschemas(schema, convert),
  }
}

function withImport(
  schema: EditorSchema,
  { name, replaces, schema: field }: ImportField,
): EditorSchema {
  const required = Array.isArray(schema['required'])
    ? (schema['required'] as readonly string[])
    : []
  return {
    ...schema,
    properties: { ...(schema['properties'] as object), [name]: convert(closeSchema(field)) },
    required: required.filter((each) => !replaces.includes(each)),
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
    const { items } = schema
    const keyName = itemKeyName(items)
    const item = overlaySchema(items)
    const { properties, ...rest } = item
    const listItem =
      keyName === undefined
        ? item
        : {
            ...rest,
            properties: { [keyName]: { type: 'string' }, ...(properties as object) },
            required: [keyName],
          }
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

/** Path of a content file's schema below the folder of schemas: `wallet/security.yaml` has `wallet/security.json`. */
function schemaFile(contentFile: string): string {
  return contentFile.replace(/\.yaml$/, '.json')
}

/** The first line of a content file, by which editors find its schema. `file` is relative to the content folder. */
export function schemaLine(file: string, isOverlay = false): string {
  const depth = file.split('/').length - 1
  const inLocale = isOverlay
    ? `translations/${schemaFile(file).split('/').slice(1).join('/')}`
    : schemaFile(file)
  return `# yaml-language-server: $schema=${'../'.repeat(depth)}${SCHEMAS_FOLDER}/${inLocale}`
}

/** Every schema for editors, by its path below the folder of schemas. */
export function createEditorSchemas(): ReadonlyMap<string, EditorSchema> {
  const schemas = new Map<string, EditorSchema>()
  const names: readonly TranslatedName[] = Object.keys(TRANSLATED_SCHEMAS).filter(isTranslatedName)
  for (const name of names) {
    const file = schemaFile(contentFileName(name))
    const schema = convert(closeSchema(contentSchema(name)))
    const field = IMPORT_FIELDS[name]
    schemas.set(file, {
      $schema: DRAFT,
      ...(field === undefined ? schema : withImport(schema, field)),
    })
    schemas.set(`translations/${file}`, { $schema: DRAFT, ...overlaySchema(contentSchema(name)) })
  }
  schemas.set(schemaFile(SETTINGS_FILE), {
    $schema: DRAFT,
    ...convert(closeSchema(SETTINGS_SCHEMA)),
  })
  return schemas
}
