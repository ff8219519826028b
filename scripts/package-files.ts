import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Metafile } from 'esbuild'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

export const BUNDLE = {
  bundle: true,
  format: 'esm',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'silent',
} as const satisfies BuildOptions

/** A program for Node. */
export const PROGRAM = {
  ...BUNDLE,
  platform: 'node',
  target: 'node20',
  // Packages in CommonJS require modules of Node.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
} as const satisfies BuildOptions

/** Copies the license into the folder where a package is built, and the other files of the package if it is elsewhere. */
export function copyPackageFiles(source: string, folder: string): void {
  cpSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'))
  if (folder === source) return
  for (const file of ['package.json', 'README.md', 'CHANGELOG.md']) {
    cpSync(path.join(source, file), path.join(folder, file))
  }
}

/** The folders of the packages of others that a bundle contains. */
function bundledPackages(inputs: readonly string[]): readonly string[] {
  const folder = /^(?:\.\.\/)*(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/
  const found = inputs.flatMap((input) => folder.exec(input)?.[0] ?? [])
  return [...new Set(found)].filter((each) => !each.includes('@public-api/')).toSorted()
}

/** The licenses of bundled packages, which ask to be included in copies. Throws an Error for a package without one. */
function licensesOf(folders: readonly string[]): string {
  return folders
    .map((folder) => {
      const full = path.resolve(ROOT, folder)
      const { name, version } = JSON.parse(
        readFileSync(path.join(full, 'package.json'), 'utf8'),
      ) as { readonly name: string; readonly version: string }
      const file = readdirSync(full).find((each) => /^licen[cs]e/i.test(each))
      if (file === undefined) throw new Error(`${name} has no license file`)
      return `${name} ${version}\n\n${readFileSync(path.join(full, file), 'utf8').trim()}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

/** Writes the licenses of the packages that a bundle contains. Its inputs are relative to the root. */
export function writeLicenses(dist: string, { inputs }: Metafile): void {
  const licenses = licensesOf(bundledPackages(Object.keys(inputs)))
  writeFileSync(path.join(dist, 'LICENSES.txt'), licenses)
}
