import path from 'node:path'
import { contentFolder, withPublishErrors } from './releases-folder.ts'

/** The status of a content folder, with its file. Rejects with a CommandFailure if it has mistakes. */
export async function readStatus(content: string | undefined) {
  const { readContentFile } = await import('../publishing/editing/edit-content.ts')
  const folder = contentFolder(content)
  const { data } = await withPublishErrors(async () => readContentFile('status', folder))
  return { ...data, file: path.join(folder, 'status.yaml') }
}
