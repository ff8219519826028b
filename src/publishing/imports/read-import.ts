import type { JsonValue } from '@public-api/contract/json/canonical-json'
import type { TranslatedName } from '@public-api/contract/registry/resource-names'
import { SNAPSHOT_SCHEMAS } from '@public-api/contract/snapshots/snapshot-schemas'
import { type ContentFolder, decodeText } from '../rules/content-folder.ts'
import { type Checked, fault, locateFaults } from '../rules/content-mistake.ts'
import { IMPORT_FIELDS } from '../rules/content-schemas.ts'
import { checkSchema } from '../rules/schema-check.ts'
import { textsIn } from '../rules/value-rules.ts'
import type { ContentSource, SourceText } from '../rules/yaml-source.ts'
import { type ChangelogImport, importChangelog } from './import-changelog.ts'
import { type CsvMapping, importCsv } from './import-csv.ts'

/** A content file with the fields of `itemsFrom` or `releasesFrom`, if it has one. Only published values are imported. */
export function readImport(
  name: TranslatedName,
  source: ContentSource,
  folder: ContentFolder,
): Checked<ContentSource> {
  const field = IMPORT_FIELDS[name]
  if (field === undefined || typeof source.value !== 'object')
    return { value: source, mistakes: [] }
  const members = source.value as { readonly [name: string]: JsonValue }
  if (!Object.hasOwn(members, field.name)) return { value: source, mistakes: [] }
  const both = field.replaces.filter((each) => Object.hasOwn(members, each))
  if (both.length > 0) {
    const found = `${field.name} and ${both.join(' and ')}`
    const faults = [fault([field.name], found, 'only one of them', 'name')]
    return { mistakes: locateFaults(source.place, faults) }
  }
  const { [field.name]: mapping = null, ...kept } = members
  const schema = { type: 'object', properties: { [field.name]: field.schema } } as const
  const faults = locateFaults(source.place, checkSchema(schema, { [field.name]: mapping }))
  if (faults.length > 0) return { mistakes: faults }
  const settings = mapping as unknown as CsvMapping
  const decoded = decodeText(folder.readReferenced(settings.file, source, [field.name, 'file']))
  if (decoded.value === undefined) return { mistakes: decoded.mistakes }
  const { file, text } = decoded.value
  const { fields, placeOf, mistakes, notes } =
    name === 'roadmap' || name === 'development-queue'
      ? importCsv(file, text, settings, SNAPSHOT_SCHEMAS[name].properties.items.items)
      : importChangelog(file, text, (mapping as unknown as ChangelogImport).dates)
  if (mistakes.length > 0) return { mistakes }

  const place: ContentSource['place'] = (path, part) => {
    if (!Object.hasOwn(fields, String(path[0]))) return source.place(path, part)
    const known = placeOf(path)
    if (known === undefined) return source.place([field.name])
    return { file, line: known.line, column: known.column }
  }

  const imported = Array.from(textsIn(fields), (each): SourceText => {
    const at = place(each.path)
    return { ...each, ...at, endLine: at.line }
  })
  const texts = [...source.texts, ...imported]
  return { value: { value: { ...kept, ...fields }, texts, place }, mistakes: [], notes }
}
