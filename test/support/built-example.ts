import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildExample } from '../../scripts/build-example.ts'

/** Folders of the example organization. */
interface BuiltExample {
  readonly content: string
  readonly releases: string
}

let built: Promise<BuiltExample> | undefined

async function build(): Promise<BuiltExample> {
  const folder = mkdtempSync(path.join(tmpdir(), 'example-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const [content, releases] = [path.join(folder, 'content'), path.join(folder, 'releases')]
  await buildExample(content, releases)
  return { content, releases }
}

/**
 * examples/tide-observatory, published once in this process: translations, a logo, incidents and an attached wallet. No
 * test changes the folders.
 */
export const builtExample = (): Promise<BuiltExample> => (built ??= build())
