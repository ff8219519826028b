import type { JsonValue } from '../contract/canonical-json.ts'
import type { ContentMistake, FieldPath } from './content-mistake.ts'
import type { ContentSource, SourcePlace, SourceText } from './yaml-source.ts'

/** Fields of a resource that are imported from another file. */
export interface ImportedFields {
  /** By name, as they replace the fields of the YAML file. */
  readonly fields: { readonly [name: string]: JsonValue }
  /** Place of each value in the other file, by the JSON text of its path. */
  readonly places: ReadonlyMap<string, SourcePlace>
  readonly mistakes: readonly ContentMistake[]
}

/** Every text in a value, with the place of the nearest recorded field around it. */
function textsOf(
  value: JsonValue,
  path: FieldPath,
  place: (path: FieldPath) => SourcePlace,
): SourceText[] {
  if (typeof value === 'string') {
    const at = place(path)
    return [{ path, value, ...at, endLine: at.line }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]: [string, JsonValue | undefined]) =>
    member === undefined
      ? []
      : textsOf(member, [...path, Array.isArray(value) ? Number(name) : name], place),
  )
}

/** A source whose imported fields replace one field of the YAML file, `replaced`. */
export function withImportedFields(
  source: ContentSource,
  replaced: string,
  { fields, places }: ImportedFields,
): { readonly merged: ContentSource; readonly importedTexts: readonly SourceText[] } {
  const { value } = source
  const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  const { [replaced]: _, ...kept } = members as { readonly [name: string]: JsonValue }

  function importedPlace(path: FieldPath): SourcePlace | undefined {
    for (let length = path.length; length > 0; length -= 1) {
      const known = places.get(JSON.stringify(path.slice(0, length)))
      if (known !== undefined) return known
    }
    return undefined
  }

  const place = (path: FieldPath, part?: 'name' | 'value'): SourcePlace =>
    typeof path[0] === 'string' && Object.hasOwn(fields, path[0])
      ? (importedPlace(path) ?? source.place([replaced]))
      : source.place(path, part)
  return {
    merged: { value: { ...kept, ...fields }, texts: source.texts, place },
    importedTexts: textsOf(fields, [], place),
  }
}
