import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { runScript } from './script-main.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGE = path.join(ROOT, 'packages', 'cli')

/**
 * Builds the package of the auditors' commands in a folder: `dist` with the program, the manifest, the README and the
 * license. The client and the contract are bundled, so that one tarball installs without any other package.
 */
export async function buildCli(folder: string): Promise<void> {
  const dist = path.join(folder, 'dist')
  rmSync(dist, { recursive: true, force: true })
  await build({
    entryPoints: [path.join(PACKAGE, 'src', 'main.ts')],
    outdir: dist,
    bundle: true,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    format: 'esm',
    platform: 'node',
    // Packages in CommonJS require modules of Node.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    target: 'node20',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
  })
  cpSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'))
  if (folder === PACKAGE) return
  for (const file of ['package.json', 'README.md', 'CHANGELOG.md']) {
    cpSync(path.join(PACKAGE, file), path.join(folder, file))
  }
}

await runScript(import.meta, {
  help: `Usage: npx node scripts/build-cli.ts

Builds packages/cli as it is published: dist and the license.

Exit code: 0 done, 1 it does not build, 2 wrong usage.
`,
  async run() {
    await buildCli(PACKAGE)
    process.stdout.write('Built packages/cli\n')
    return 0
  },
})
