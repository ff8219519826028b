import { rmSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { copyPackageFiles, PROGRAM, ROOT } from './package-files.ts'
import { runScript } from './script-main.ts'

const PACKAGE = path.join(ROOT, 'packages', 'cli')

/**
 * Builds the package of the auditors' commands in a folder: `dist` with the program, the manifest, the README and the
 * license. The client and the contract are bundled, so that one tarball installs without any other package.
 */
export async function buildCli(folder: string): Promise<void> {
  const dist = path.join(folder, 'dist')
  rmSync(dist, { recursive: true, force: true })
  await build({
    ...PROGRAM,
    entryPoints: [path.join(PACKAGE, 'src', 'main.ts')],
    outdir: dist,
    splitting: true,
    chunkNames: 'chunk-[hash]',
  })
  copyPackageFiles(PACKAGE, folder)
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
