import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { withPublishErrors } from './releases-folder.ts'

/** The status of a content folder. Rejects with a CommandFailure if it has mistakes. */
export async function readStatus(contentDir = 'content'): Promise<SnapshotData<'status'>> {
  const { readContentFile } = await import('../publishing/editing/edit-content.ts')
  return withPublishErrors(async () => readContentFile('status', contentDir).data)
}
