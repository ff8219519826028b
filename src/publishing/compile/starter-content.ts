import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { type TranslatedName, translatedSchema } from '@public-api/contract/registry/resource-names'
import { EARLY_ACCESS_RESOURCE } from '@public-api/contract/snapshots/early-access'
import { WALLET_NAMES } from '@public-api/contract/snapshots/no-wallet'
import { isTranslatable, type TranslationLocale } from '@public-api/contract/snapshots/translations'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { formatDate, formatInstant } from '@public-api/contract/text/instant'
import { parse, stringify } from 'yaml'
import { CONTENT_FILES, contentFiles } from '../rules/content-folder.ts'
import {
  contentSchema,
  IMPORT_FIELDS,
  SETTINGS_FILE,
  SETTINGS_SCHEMA,
} from '../rules/content-schemas.ts'
import { PLACEHOLDER_MARK } from '../rules/value-rules.ts'
import { pendingOverlay } from '../translations/translatable-texts.ts'
import { createSchemaFiles, schemaLine } from './editor-schemas.ts'

const WIDTH = 100

/** A comment of several lines, each of limited width. */
function commentLines(text: string, indent = ''): readonly string[] {
  const width = WIDTH - indent.length - 2
  const lines = text.match(new RegExp(`\\S(?:.{0,${width - 1}}|\\S*)(?=\\s|$)`, 'g')) ?? []
  return lines.map((line) => `${indent}# ${line}`)
}

/** A field's description with its values and limit. */
function describeField(schema: JsonSchema): string {
  const listed = schema.enum ?? schema.items?.enum
  const values = listed === undefined ? '' : ` One of: ${listed.map(String).join(', ')}.`
  const hasForm = (schema.format ?? schema.pattern) !== undefined
  const limit =
    schema.maxLength === undefined || hasForm ? '' : ` At most ${schema.maxLength} characters.`
  return `${schema.description ?? ''}${values}${limit}`
}

function valueOf(field: JsonSchema, nowMs: number): unknown {
  if (field.format === 'date-time') return formatInstant(nowMs).replace(/\.\d+Z$/, 'Z')
  if (field.format === 'date') return formatDate(nowMs)
  if (isTranslatable(field))
    return `${PLACEHOLDER_MARK} ${typeof field.example === 'string' ? field.example : ''}`
  return field.example ?? (field.type === 'boolean' ? false : (field.enum?.[0] ?? ''))
}

/** The lines of a field: its name and value, or with those of its own fields below. */
function valueLines(
  name: string,
  field: JsonSchema,
  indent: string,
  nowMs: number,
): readonly string[] {
  const { items = {}, minItems = 0 } = field
  const text = (shape: JsonSchema): string => stringify(valueOf(shape, nowMs)).trim()
  if (field.type === 'object') return [`${name}:`, ...fieldLines(field, `${indent}  `, nowMs)]
  if (field.type !== 'array') return [`${name}: ${text(field)}`]
  if (items.type !== 'object') return [`${name}: [${text(items)}]`]
  const [id = '', ...fields] = fieldLines(items, `${indent}    `, nowMs).slice(1)
  const item = [`${indent}  - ${id.trimStart()}`, ...fields]
  return minItems > 0
    ? [`${name}:`, ...item]
    : [`${name}: []`, ...item.map((line) => commentOut(line, indent))]
}

/** Required fields with a value, optional ones as comments, each below its description. */
function fieldLines(
  { properties = {}, required = [] }: JsonSchema,
  indent: string,
  nowMs: number,
): readonly string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const [first, ...rest] = valueLines(name, field, indent, nowMs)
    const lines = [`${indent}${first}`, ...rest]
    return [
      ...commentLines(describeField(field), indent),
      ...(required.includes(name) ? lines : lines.map((line) => commentOut(line, indent))),
    ]
  })
}

function commentOut(line: string, indent: string): string {
  const rest = line.slice(indent.length)
  return rest.startsWith('#') ? line : `${indent}# ${rest}`
}

/** What a locale's overlay files translate: the data of resources. */
export type OverlayData = ReadonlyMap<TranslatedName, JsonValue>

/** The data of starter files. */
export function starterData(files: ReadonlyMap<string, string>): OverlayData {
  return new Map(
    [...CONTENT_FILES].flatMap(([file, name]) => {
      const text = files.get(file)
      return text === undefined ? [] : [[name, parse(text) as JsonValue] as const]
    }),
  )
}

/** Overlay files to fill in for a locale, by path: every text of these resources, not translated yet. */
export function createOverlayFiles(
  locale: TranslationLocale,
  data: OverlayData,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const [file, name] of contentFiles(data.keys())) {
    const value = data.get(name)
    const text = value === undefined ? undefined : pendingOverlay(translatedSchema(name), value)
    if (text !== undefined) files.set(`${locale}/${file}`, `${schemaLine(file, locale)}\n${text}`)
  }
  return files
}

/** What a new folder leaves out: without these files no wallet is attached, and the waitlist is open. */
const LEFT_OUT: ReadonlySet<string> = new Set([...WALLET_NAMES, EARLY_ACCESS_RESOURCE])

/** The files of a new content folder, by path. */
export function createStarterContent(nowMs: number): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const add = (file: string, lines: readonly string[]) =>
    files.set(file, [schemaLine(file), ...lines, ''].join('\n'))
  for (const [file, name] of CONTENT_FILES) {
    if (LEFT_OUT.has(name)) continue
    const schema = contentSchema(name)
    const field = IMPORT_FIELDS[name]
    const imports =
      field === undefined
        ? ''
        : `\`${field.name}\` can take ${field.replaces.join(' and ')} from another file; see docs/content.md.`
    const about = [...commentLines(schema.description ?? schema.title), ...commentLines(imports)]
    add(file, [...about, '', ...fieldLines(schema, '', nowMs)])
  }
  const about = commentLines(SETTINGS_SCHEMA.description)
  add(SETTINGS_FILE, [...about, '', ...fieldLines(SETTINGS_SCHEMA, '', nowMs)])
  for (const [file, text] of createSchemaFiles()) files.set(file, text)
  return files
}
