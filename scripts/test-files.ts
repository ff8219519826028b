import { globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { moduleReferences } from './module-references.ts'

/**
 * How a test file runs: `pure` files share a few processes, `starting` files start other programs and share a process
 * with a few of their kind, `isolated` files get their own process, `long` files run in `test:long`.
 */
export type TestKind = 'pure' | 'starting' | 'isolated' | 'long'

/** Modules that start processes. */
const PROCESS_MODULES: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:cluster',
  'playwright-core',
])

/** Marks a file that must not share a process, with the reason behind it: `// isolated: replaces node:fs`. */
const ISOLATED_MARK = /^\/\/ isolated: \S/m

/** Finds the test files of a checkout and how each one runs. */
export function findTestFiles(rootDir: string): ReadonlyMap<string, TestKind> {
  const startsProcesses = new Map<string, boolean>()
  const visit = (file: string): boolean => {
    const known = startsProcesses.get(file)
    if (known !== undefined) return known
    // Ends cycles; the result of the cycle's entry replaces it.
    startsProcesses.set(file, false)
    const source = readFileSync(path.join(rootDir, file), 'utf8')
    const found = moduleReferences(source).some(({ specifier, isTypeOnly }) => {
      if (specifier === undefined || isTypeOnly) return false
      if (PROCESS_MODULES.has(specifier)) return true
      const target = path.join(path.dirname(file), specifier)
      return (
        specifier.startsWith('.') &&
        target.startsWith(`test${path.sep}`) &&
        statSync(path.join(rootDir, target), { throwIfNoEntry: false })?.isFile() === true &&
        visit(target)
      )
    })
    startsProcesses.set(file, found)
    return found
  }
  const files = globSync('test/**/*.test.ts', {
    cwd: rootDir,
    exclude: ['**/node_modules/**'],
  }).toSorted()
  return new Map(
    files.map((file) => {
      if (file.endsWith('.long.test.ts')) return [file, 'long'] as const
      if (ISOLATED_MARK.test(readFileSync(path.join(rootDir, file), 'utf8'))) {
        return [file, 'isolated'] as const
      }
      return [file, visit(file) ? 'starting' : 'pure'] as const
    }),
  )
}
