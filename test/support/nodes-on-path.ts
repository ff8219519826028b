import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** The Node of these tests and every other one on the PATH, by their versions. */
export const NODES: ReadonlyMap<string, string> = new Map(
  [process.execPath, ...(process.env['PATH'] ?? '').split(':').map((folder) => `${folder}/node`)]
    .filter((file) => existsSync(file))
    .map((file) => [spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout.trim(), file]),
)
