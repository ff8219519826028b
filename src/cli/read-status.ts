import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { contentFolder, withPublishErrors } from './releases-folder.ts'

/** The status of a content folder. Rejects with a CommandFailure if it has mistakes. */
export async function readStatus(content: string | undefined): Promise<SnapshotData<'status'>> {
  const { readContentFile } = await import('../publishing/editing/edit-content.ts')
  return withPublishErrors(async () => readContentFile('status', contentFolder(content)).data)
}
