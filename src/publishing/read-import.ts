import type { JsonValue } from '../contract/canonical-json.ts'
import { HORIZONS } from '../contract/snapshot-plans.ts'
import { SNAPSHOT_SCHEMAS, type SnapshotName } from '../contract/snapshot-schemas.ts'
import type { ReferencedFile } from './compile-organization.ts'
import type { ContentMistake } from './content-mistake.ts'
import { IMPORT_FIELDS } from './content-schemas.ts'
import { importChangelog } from './import-changelog.ts'
import { type CsvMapping, importCsv } from './import-csv.ts'
import { type ImportedFields, withImportedFields } from './imported-source.ts'
import { createSchemaCheck } from './schema-check.ts'
import type { ContentSource, SourceText } from './yaml-source.ts'

/** What reading an import needs of the compilation. */
interface ImportDependencies {
  /** Reads a file of the content folder, and reports one that cannot be read. */
  readonly readFile: (file: string) => ReferencedFile | undefined
  readonly addMistakes: (mistakes: readonly ContentMistake[]) => void
  /** Takes the published texts of the imported file. */
  readonly addTexts: (file: string, texts: readonly SourceText[]) => void
}

function importFields(
  name: SnapshotName,
  file: ReferencedFile,
  mapping: CsvMapping,
): ImportedFields {
  if (name === 'changelog') return importChangelog(file)
  return name === 'roadmap'
    ? importCsv(file, mapping, SNAPSHOT_SCHEMAS.roadmap.properties.items.items, {
        field: 'horizon',
        values: HORIZONS,
      })
    : importCsv(file, mapping, SNAPSHOT_SCHEMAS['development-queue'].properties.items.items, {
        field: 'priority',
      })
}

/** A content file with the fields of `itemsFrom` or `releasesFrom`, if it has one; undefined if these have mistakes. */
export function readImport(
  name: SnapshotName,
  source: ContentSource,
  { readFile, addMistakes, addTexts }: ImportDependencies,
): ContentSource | undefined {
  const field = IMPORT_FIELDS[name]
  const { value } = source
  if (field === undefined || typeof value !== 'object' || value === null) return source
  if (Array.isArray(value) || !Object.hasOwn(value, field.name)) return source
  const members = value as { readonly [name: string]: JsonValue }
  const both = field.replaces.filter((each) => Object.hasOwn(members, each))
  if (both.length > 0) {
    const found = `${field.name} and ${both.join(' and ')}`
    const place = source.place([field.name], 'name')
    addMistakes([{ ...place, field: field.name, found, expected: 'one of them' }])
    return undefined
  }
  const check = createSchemaCheck<{ readonly [name: string]: CsvMapping }>(field.wrapper)
  const mapping = { ...source, value: { [field.name]: members[field.name] ?? null } }
  addMistakes(check.mistakesOf(mapping))
  const settings = check.accepts(mapping.value) ? mapping.value[field.name] : undefined
  const file = settings === undefined ? undefined : readFile(settings.file)
  if (settings === undefined || file === undefined) return undefined
  const imported = importFields(name, file, settings)
  addMistakes(imported.mistakes)
  if (imported.mistakes.length > 0) return undefined
  const { merged, importedTexts } = withImportedFields(source, field.name, imported)
  addTexts(file.file, importedTexts)
  return merged
}
