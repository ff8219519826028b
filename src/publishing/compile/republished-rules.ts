import type { JsonValue } from '@public-api/contract/json/canonical-json'
import {
  type ResourceName,
  isTranslatedName,
  TRANSLATED_SCHEMAS,
} from '@public-api/contract/registry/resource-names'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import {
  ORGANIZATION_RESOURCE,
  type Organization,
} from '@public-api/contract/snapshots/organization'
import { isSnapshotName } from '@public-api/contract/snapshots/snapshot-schemas'
import { accentFault } from '../logo/accent-color.ts'
import { type Fault, type FieldPath, formatFieldPath } from '../rules/content-mistake.ts'
import { checkUri, checkValues, schemaAt } from '../rules/value-rules.ts'
import { cleanLogo } from './compile-organization.ts'
import { checkSemantics, type ValidData } from './semantic-rules.ts'

/** Every text of published data with its path. */
function* textsOf(
  value: JsonValue | undefined,
  path: FieldPath = [],
): Generator<{ readonly path: FieldPath; readonly value: string }, void> {
  if (typeof value === 'string') yield { path, value }
  else if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly JsonValue[]).entries())
      yield* textsOf(item, [...path, index])
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value as { readonly [name: string]: JsonValue }))
      yield* textsOf(member, [...path, name])
  }
}

const line = (name: string, { path, found, expected }: Fault): string =>
  `${name}: ${formatFieldPath(path)}: found ${found}, expected ${expected}`

/** A logo that today's rules refuse may load foreign addresses in a reader's browser. */
function logoObstacles({ logo }: Organization): readonly string[] {
  if (logo === undefined) return []
  const file = logo.mediaType === 'image/png' ? 'logo.png' : 'logo.svg'
  const { mistakes } = cleanLogo({ file, bytes: Buffer.from(logo.base64, 'base64') })
  return mistakes.map(
    ({ found, expected }) => `${ORGANIZATION_RESOURCE}: logo: found ${found}, expected ${expected}`,
  )
}

/**
 * Checks data that were published under older rules by those of today. `obstacles` are what readers would refuse or what
 * may harm them: another schema, texts that are not URIs, logos. `warnings` are what `svc check` would refuse besides.
 */
export function checkRepublished(
  resources: ReadonlyMap<ResourceName, JsonValue>,
  nowMs: number,
): { readonly obstacles: readonly string[]; readonly warnings: readonly string[] } {
  const obstacles: string[] = []
  const warnings: string[] = []
  const valid: ValidData = {}
  for (const [name, data] of resources) {
    if (!isTranslatedName(name)) continue
    // The schemas may have changed since: the content must match the current ones.
    const schema = TRANSLATED_SCHEMAS[name]
    const mistake = schemaMistake(schema, data)
    if (mistake !== undefined) {
      obstacles.push(`${name} does not match its schema: ${mistake}`)
      continue
    }
    if (isSnapshotName(name)) Object.assign(valid, { [name]: data })
    const texts = [...textsOf(data)]
    const [uris, others] = [
      texts.filter(({ path }) => schemaAt(schema, path)?.format === 'uri'),
      texts.filter(({ path }) => schemaAt(schema, path)?.format !== 'uri'),
    ]
    for (const { path, value } of uris)
      for (const each of checkUri(value, path)) obstacles.push(line(name, each))
    for (const each of checkValues({ texts: others }, schema, nowMs))
      warnings.push(line(name, each))
    if (name !== ORGANIZATION_RESOURCE) continue
    const organization = data as unknown as Organization
    obstacles.push(...logoObstacles(organization))
    const { accentColor } = organization
    const accent = accentColor && accentFault(accentColor.light, ['accentColor', 'light'])
    if (accent) warnings.push(line(name, accent))
  }
  for (const name of Object.keys(valid)) {
    if (!isSnapshotName(name)) continue
    for (const each of checkSemantics(name, valid[name], valid)) warnings.push(line(name, each))
  }
  return { obstacles, warnings }
}
