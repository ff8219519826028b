import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A generated file. */
export interface GeneratedFile {
  /** Path below the root of the repository. */
  readonly file: string
  /** Undefined if there is no such file. */
  readonly text: string | undefined
}

function readText(rootDir: string, file: string): string | undefined {
  try {
    return readFileSync(path.join(rootDir, file), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Generated files with those of their folder that are generated no longer. `extension` is that of all of them. */
export function withRemoved(
  rootDir: string,
  folder: string,
  files: readonly GeneratedFile[],
  extension = '',
): readonly GeneratedFile[] {
  const expected = new Set(files.map(({ file }) => file))
  const found = readdirSync(path.join(rootDir, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => path.relative(rootDir, path.join(entry.parentPath, entry.name)))
  const removed = found.filter((file) => !expected.has(file))
  return [...files, ...removed.map((file) => ({ file, text: undefined }))]
}

/** The first difference between two texts. */
function firstDifference(found: string, expected: string): string {
  const [foundLines, expectedLines] = [found.split('\n'), expected.split('\n')]
  const index = expectedLines.findIndex((line, at) => line !== foundLines[at])
  const at = index === -1 ? expectedLines.length : index
  // Scripts of the pages are one line.
  const show = (line: string | undefined): string =>
    line === undefined ? 'the end of the file' : JSON.stringify(line.trim().slice(0, 200))
  return `line ${at + 1}: found ${show(foundLines[at])}, expected ${show(expectedLines[at])}`
}

/** One line for each file that differs from its generated text. */
export function driftLines(
  rootDir: string,
  files: readonly GeneratedFile[],
  command: string,
): readonly string[] {
  return files.flatMap(({ file, text }) => {
    const found = readText(rootDir, file)
    if (found === text) return []
    if (text === undefined) return [`${file} is not generated from any source; run ${command}`]
    if (found === undefined) return [`${file} is missing; run ${command}`]
    return [`${file} drifted, ${firstDifference(found, text)}; run ${command}`]
  })
}

/** Writes the files that differ, and returns them. */
export function writeFiles(
  rootDir: string,
  files: readonly GeneratedFile[],
): readonly GeneratedFile[] {
  const changed = files.filter(({ file, text }) => readText(rootDir, file) !== text)
  for (const { file, text } of changed) {
    const target = path.join(rootDir, file)
    if (text === undefined) rmSync(target)
    else {
      mkdirSync(path.dirname(target), { recursive: true })
      writeFileSync(target, text)
    }
  }
  return changed
}

/** Prints the files that were written. Returns the exit code of the script. */
export function printWritten(files: readonly GeneratedFile[]): number {
  const lines = files.map(
    ({ file, text }) => `${text === undefined ? 'Removed' : 'Wrote'} ${file}\n`,
  )
  process.stdout.write(lines.length === 0 ? 'Up to date.\n' : lines.join(''))
  return 0
}
