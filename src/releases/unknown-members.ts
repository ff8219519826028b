import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { parseJson } from '@public-api/contract/json/parse-json'
import { inspectResource } from '@public-api/contract/registry/resource-names'
import type { ReleaseStore } from './release-store.ts'

/**
 * Members of a version's resources that their schemas do not know, as `name/pointer`: the first of each resource. What
 * cannot be read has none.
 */
export function unknownMembersOf(
  store: Pick<ReleaseStore, 'readResourceText'>,
  { resources }: Pick<VersionEntry, 'resources'>,
): readonly string[] {
  return Object.entries(resources).flatMap(([name, digest]) => {
    try {
      const { unknownMember } = inspectResource(
        name,
        parseJson(store.readResourceText(name, digest)),
      )
      return unknownMember === undefined ? [] : [`${name}${unknownMember}`]
    } catch {
      return []
    }
  })
}
