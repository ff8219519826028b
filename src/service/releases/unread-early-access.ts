import { laterProgramOf } from '@public-api/contract/registry/release-notices'
import { EARLY_ACCESS_RESOURCE } from '@public-api/contract/snapshots/early-access'
import type { PublishedHistory } from './releases.ts'

/**
 * Whether it cannot be read for certain if the operator closed the waitlist, which is closed then: the resource is damaged,
 * or a later program, which may have closed it in another way, wrote the version.
 */
export function isEarlyAccessUnread(
  releases: Pick<PublishedHistory, 'resource' | 'served'>,
): boolean {
  const { head, unknownMembers } = releases.served
  const isDamaged =
    releases.resource(EARLY_ACCESS_RESOURCE) === undefined &&
    Object.hasOwn(head.resources, EARLY_ACCESS_RESOURCE)
  return isDamaged || laterProgramOf(head, unknownMembers) !== undefined
}
