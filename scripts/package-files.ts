import { cpSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'

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
