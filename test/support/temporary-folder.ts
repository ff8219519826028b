import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** An empty folder that is gone after the test. */
export function temporaryFolder(t: { after(end: () => void): void }): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A path for a database in such a folder. */
export function temporaryDatabase(t: { after(end: () => void): void }): string {
  return path.join(temporaryFolder(t), 'service.sqlite')
}
