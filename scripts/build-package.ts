import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { UsageError } from '@public-api/cli-kit/command'
import { build, type BuildOptions } from 'esbuild'
import { buildClient } from './build-client.ts'
import { copyPackageFiles, PROGRAM, ROOT, writeLicenses } from './package-files.ts'
import { runScript } from './script-main.ts'

/**
 * Builds a program in a folder: `dist` with all that it needs and the licenses of that, the manifest, the README and the
 * license.
 */
async function buildProgram(source: string, folder: string, options: BuildOptions): Promise<void> {
  const dist = path.join(folder, 'dist')
  rmSync(dist, { recursive: true, force: true })
  const { metafile } = await build({
    ...PROGRAM,
    ...options,
    absWorkingDir: ROOT,
    entryPoints: [path.join(source, 'src', 'main.ts')],
    outdir: dist,
    metafile: true,
  })
  writeLicenses(dist, metafile)
  copyPackageFiles(source, folder)
}

const folderOf = (name: string): string => path.join(ROOT, 'packages', name)

/** The packages that are published, by their folders, each built in a folder. */
export const BUILDS = {
  client: buildClient,
  /** The client, the contract and commander are in its chunks, so that one tarball installs without any other package. */
  cli: (folder: string) =>
    buildProgram(folderOf('cli'), folder, { splitting: true, chunkNames: 'chunk-[hash]' }),
  /** The SDK is bundled, so that the server installs without its hundred packages and starts at once. */
  async mcp(folder: string) {
    const source = folderOf('mcp')
    const shims = path.join(source, 'src', 'sdk-shims.ts')
    const alias = { '@modelcontextprotocol/server/_shims': shims }
    await buildProgram(source, folder, { alias, minify: true })
    if (folder === source) return
    cpSync(path.join(source, 'server.json'), path.join(folder, 'server.json'))
  },
} as const

await runScript(import.meta, {
  help: `Usage: npx node scripts/build-package.ts ${Object.keys(BUILDS).join('|')}

Builds what a package is published with from its sources, in its folder: dist, the license, and the client's vectors.

Exit code: 0 done, 1 it does not build, 2 wrong usage.
`,
  takesArguments: true,
  async run({ positionals: [name = ''] }) {
    const found = Object.entries(BUILDS).find(([each]) => each === name)
    if (found === undefined) throw new UsageError('expected the folder of a package')
    await found[1](folderOf(name))
    process.stdout.write(`Built packages/${name}\n`)
    return 0
  },
})
