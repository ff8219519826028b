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

/** A content file with the fields that it imports. */
export interface ImportOutcome {
  /** undefined with any mistake. */
  readonly source: ContentSource | undefined
  readonly mistakes: readonly ContentMistake[]
  /** The imported file, and its texts that are published. */
  readonly file: string
  readonly texts: readonly SourceText[]
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

/**
 * Resolves `itemsFrom` or `releasesFrom` of a content file; undefined if it has none. `readFile` reads a file of the
 * content folder, and reports one that cannot be read.
 */
export function readImport(
  name: SnapshotName,
  source: ContentSource,
  readFile: (file: string) => ReferencedFile | undefined,
): ImportOutcome | undefined {
  const field = IMPORT_FIELDS[name]
  const { value } = source
  if (field === undefined || typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value) || !Object.hasOwn(value, field.name)) return undefined
  const members = value as { readonly [name: string]: JsonValue }
  const refused = (mistakes: readonly ContentMistake[]): ImportOutcome => ({
    source: undefined,
    mistakes,
    file: '',
    texts: [],
  })
  const both = field.replaces.filter((each) => Object.hasOwn(members, each))
  if (both.length > 0) {
    return refused([
      {
        ...source.place([field.name], 'name'),
        field: field.name,
        found: `${field.name} and ${both.join(' and ')}`,
        expected: 'one of them',
      },
    ])
  }
  const check = createSchemaCheck<{ readonly [name: string]: CsvMapping }>(field.wrapper)
  const mapping = {
    ...source,
    value: { [field.name]: members[field.name] ?? null },
  }
  const mistakes = check.mistakesOf(mapping)
  if (!check.accepts(mapping.value)) return refused(mistakes)
  const settings = mapping.value[field.name]
  const file = settings === undefined ? undefined : readFile(settings.file)
  if (settings === undefined || file === undefined) return refused([])
  const imported = importFields(name, file, settings)
  if (imported.mistakes.length > 0) return refused(imported.mistakes)
  const { merged, importedTexts } = withImportedFields(source, field.name, imported)
  return { source: merged, mistakes: [], file: file.file, texts: importedTexts }
}
