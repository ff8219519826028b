import type { JsonValue } from '../contract/canonical-json.ts'
import type { TranslatedName } from '../contract/resource-names.ts'
import { SNAPSHOT_SCHEMAS } from '../contract/snapshot-schemas.ts'
import { type ContentFolder, decodeText } from './content-folder.ts'
import {
  addMistake,
  type ContentMistake,
  type FieldPath,
  type SourcePlace,
} from './content-mistake.ts'
import { IMPORT_FIELDS } from './content-schemas.ts'
import { importChangelog } from './import-changelog.ts'
import { type CsvMapping, importCsv } from './import-csv.ts'
import type { GuardedFile } from './leak-guard.ts'
import { checkSchema } from './schema-check.ts'
import { type ContentSource, createSource, type SourceText } from './yaml-source.ts'

type Place = Omit<SourcePlace, 'file'>

/** Fields of a resource that are imported from another file. */
export interface Imported {
  /** By name, as they replace the fields of the YAML file. */
  readonly fields: { readonly [name: string]: JsonValue }
  /** The place in the other file of the value at a path, or of the nearest item around it. */
  placeOf(path: FieldPath): Place | undefined
}

/** Reports a mistake at a place of an imported file. */
export type ReportAt = (place: Place, path: FieldPath, found: string, expected: string) => void

/** Every text in a value, with its place. */
function textsOf(
  value: JsonValue,
  path: FieldPath,
  place: ContentSource['place'],
): readonly SourceText[] {
  if (typeof value === 'string') {
    const at = place(path)
    return [{ path, value, ...at, endLine: at.line }]
  }
  return Object.entries(value ?? {}).flatMap(([name, member]: [string, JsonValue]) =>
    textsOf(member, [...path, Array.isArray(value) ? Number(name) : name], place),
  )
}

/** A content file with the fields of `itemsFrom` or `releasesFrom`, if it has one; undefined if these have mistakes. */
export function readImport(
  name: TranslatedName,
  source: ContentSource,
  folder: ContentFolder,
  mistakes: ContentMistake[],
  /** Receives the imported texts, which are published. */
  files: GuardedFile[],
): ContentSource | undefined {
  const field = IMPORT_FIELDS[name]
  if (field === undefined || typeof source.value !== 'object') return source
  const members = source.value as { readonly [name: string]: JsonValue }
  if (!Object.hasOwn(members, field.name)) return source
  const both = field.replaces.filter((each) => Object.hasOwn(members, each))
  if (both.length > 0) {
    const found = `${field.name} and ${both.join(' and ')}`
    source.report([field.name], found, 'one of them', 'name')
    return undefined
  }
  const { [field.name]: mapping = null, ...kept } = members
  const schema = { type: 'object', properties: { [field.name]: field.schema } } as const
  if (!checkSchema(schema, { ...source, value: { [field.name]: mapping } })) return undefined
  const settings = mapping as unknown as CsvMapping
  const referenced = folder.readReferenced(settings.file, source.report, [field.name, 'file'])
  const decoded = referenced && decodeText(referenced, mistakes)
  if (decoded === undefined) return undefined
  const { file, text } = decoded
  const before = mistakes.length
  const reportAt: ReportAt = ({ line, column }, path, found, expected) =>
    addMistake(mistakes, { file, line, column }, path, found, expected)
  const { fields, placeOf } =
    name === 'roadmap' || name === 'development-queue'
      ? importCsv(text, settings, SNAPSHOT_SCHEMAS[name].properties.items.items, reportAt)
      : importChangelog(text, reportAt)
  if (mistakes.length > before) return undefined

  const place: ContentSource['place'] = (path, part) => {
    if (!Object.hasOwn(fields, String(path[0]))) return source.place(path, part)
    const known = placeOf(path)
    if (known === undefined) return source.place([field.name])
    return { file, line: known.line, column: known.column }
  }

  const texts = textsOf(fields, [], place)
  // Only published values: an export has other columns.
  files.push({ file, text: '', values: texts })
  return createSource(mistakes, { ...kept, ...fields }, [...source.texts, ...texts], place)
}
