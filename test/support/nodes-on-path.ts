import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'

/** The Node of these tests and every other one on the PATH, by their versions. */
const NODES: ReadonlyMap<string, string> = new Map(
  [process.execPath, ...(process.env['PATH'] ?? '').split(':').map((folder) => `${folder}/node`)]
    .filter((file) => existsSync(file))
    .map((file) => [spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout.trim(), file]),
)

const others = [...NODES].slice(1)
const majorOf = ([version]: readonly [string, string]) => Number.parseInt(version.slice(1), 10)

/** This Node, and the oldest other one from version 20 on. */
export const NODES_OF_EACH_RUN: ReadonlyMap<string, string> = new Map([
  ...[...NODES].slice(0, 1),
  ...others
    .filter((each) => majorOf(each) >= 20)
    .toSorted((one, two) => majorOf(one) - majorOf(two))
    .slice(0, 1),
])

/** The others, for long tests. */
export const OTHER_NODES: ReadonlyMap<string, string> = new Map(
  others.filter((each) => majorOf(each) >= 20 && !NODES_OF_EACH_RUN.has(each[0])),
)

/** The program npx as a script, so that any Node can run it. */
export const NPX: string =
  (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => `${folder}/npx`)
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file))
    .find((file) => file.endsWith('.js')) ?? 'npx'

/** The environment in which a program finds a Node first, and no loader of the tests. */
export function environmentOf(node: string): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...env } = process.env
  return { ...env, PATH: `${path.dirname(node)}:${env['PATH']}` }
}
