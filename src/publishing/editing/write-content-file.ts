import { rmSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from '@public-api/client-internal/node/durable-file'
import { rewriteBelow } from '../../files/folder-files.ts'

/** Creates or replaces a file of a content folder, with the folders it is in, and never through a link; `undefined` removes it. */
export function writeContentFile(
  folder: string,
  name: string,
  content: string | Uint8Array | undefined,
): void {
  const file = path.join(folder, name)
  if (content === undefined) return rmSync(file, { force: true })
  makeFolder(path.dirname(file), 0o755)
  rewriteBelow(folder, name, content)
}
