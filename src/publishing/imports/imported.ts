import type { JsonValue } from '@public-api/contract/json/canonical-json'
import type { ContentMistake, FieldPath, SourcePlace } from '../rules/content-mistake.ts'

/** Fields of a resource that are imported from another file, and the mistakes of that file. */
export interface Imported {
  /** By name, as they replace the fields of the YAML file. */
  readonly fields: { readonly [name: string]: JsonValue }
  /** The place in the other file of the value at a path, or of the nearest item around it. */
  placeOf(path: FieldPath): Omit<SourcePlace, 'file'> | undefined
  readonly mistakes: readonly ContentMistake[]
  /** What was left out, one line each with its place. */
  readonly notes?: readonly string[]
}
