import { rmSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { copyPackageFiles, PROGRAM, ROOT, writeLicenses } from './package-files.ts'
import { runScript } from './script-main.ts'

const PACKAGE = path.join(ROOT, 'packages', 'cli')

/**
 * Builds the package of the auditors' commands in a folder: `dist` with the program and the licenses of what it contains, the
 * manifest, the README and the license. The client, the contract and commander are bundled, so that one tarball installs without any other package.
 */
export async function buildCli(folder: string): Promise<void> {
  const dist = path.join(folder, 'dist')
  rmSync(dist, { recursive: true, force: true })
  const { metafile } = await build({
    ...PROGRAM,
    absWorkingDir: ROOT,
    entryPoints: [path.join(PACKAGE, 'src', 'main.ts')],
    outdir: dist,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    metafile: true,
  })
  writeLicenses(dist, metafile)
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
