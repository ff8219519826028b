import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'

const FOLDER = path.resolve('test/conformance/programs/node_modules')

/** Why the programs cannot run; false if they can. */
export const skip = existsSync(FOLDER)
  ? false
  : 'test/conformance/programs is not installed; run npm ci --prefix test/conformance/programs --ignore-scripts'

/** A file of a package of others. */
export const foreignFile = (name: string, ...parts: readonly string[]): string =>
  path.join(FOLDER, name, ...parts)

/** Prints the version of the package of others that a test runs, and returns it. */
export function reportPackage(t: TestContext, name: string): string {
  const manifest = readFileSync(foreignFile(name, 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { readonly version: string }
  t.diagnostic(`foreign program: ${name} ${version}`)
  return version
}

/** What a program printed, whatever its exit code. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. */
export async function runForeign(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  try {
    const limits = { maxBuffer: 64 * 2 ** 20 }
    const { stdout, stderr } = await promisify(execFile)(program, args, { ...limits, ...options })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as Ended
    if (typeof code !== 'number') throw error
    return { code, stdout, stderr }
  }
}

/** Prints the version of the Debian package that a test runs. */
export async function reportDebian(t: TestContext, name: string): Promise<void> {
  const { stdout } = await runForeign('dpkg-query', ['-W', '-f', '${Version}', name])
  t.diagnostic(`foreign program: ${name} ${stdout}`)
}
