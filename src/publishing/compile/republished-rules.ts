import type { JsonValue } from '@public-api/contract/json/canonical-json'
import {
  type ResourceName,
  isTranslatedName,
  translatedSchema,
} from '@public-api/contract/registry/resource-names'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import {
  ORGANIZATION_RESOURCE,
  type Organization,
} from '@public-api/contract/snapshots/organization'
import { isSnapshotName } from '@public-api/contract/snapshots/snapshot-schemas'
import { accentFault } from '../logo/accent-color.ts'
import { formatFault } from '../rules/content-mistake.ts'
import { checkUri, checkValues, schemaAt, textsIn } from '../rules/value-rules.ts'
import { cleanLogo } from './compile-organization.ts'
import { checkSemantics, type ValidData } from './semantic-rules.ts'

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
    const schema = translatedSchema(name)
    const mistake = schemaMistake(schema, data)
    if (mistake !== undefined) {
      obstacles.push(`${name} does not match its schema: ${mistake}`)
      continue
    }
    if (isSnapshotName(name)) Object.assign(valid, { [name]: data })
    const { uri = [], other = [] } = Object.groupBy(textsIn(data), ({ path }) =>
      schemaAt(schema, path)?.format === 'uri' ? 'uri' : 'other',
    )
    for (const { path, value } of uri)
      for (const each of checkUri(value, path)) obstacles.push(formatFault(name, each))
    for (const each of checkValues({ texts: other }, schema, nowMs))
      warnings.push(formatFault(name, each))
    if (name !== ORGANIZATION_RESOURCE) continue
    const organization = data as unknown as Organization
    obstacles.push(...logoObstacles(organization))
    const { accentColor } = organization
    const accent = accentColor && accentFault(accentColor.light, ['accentColor', 'light'])
    if (accent) warnings.push(formatFault(name, accent))
  }
  for (const name of Object.keys(valid)) {
    if (!isSnapshotName(name)) continue
    for (const each of checkSemantics(name, valid[name], valid))
      warnings.push(formatFault(name, each))
  }
  return { obstacles, warnings }
}
