import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { copyPackageFiles, PROGRAM, ROOT, writeLicenses } from './package-files.ts'
import { runScript } from './script-main.ts'

const PACKAGE = path.join(ROOT, 'packages', 'mcp')

/**
 * Builds the package of the MCP server in a folder: `dist` with the program and the licenses of what it contains. The SDK
 * is bundled, so that the server installs without its hundred packages and starts at once.
 */
export async function buildMcp(folder: string): Promise<void> {
  const dist = path.join(folder, 'dist')
  rmSync(dist, { recursive: true, force: true })
  const { metafile } = await build({
    ...PROGRAM,
    absWorkingDir: ROOT,
    entryPoints: [path.join(PACKAGE, 'src', 'main.ts')],
    outfile: path.join(dist, 'main.js'),
    alias: { '@modelcontextprotocol/server/_shims': path.join(PACKAGE, 'src', 'sdk-shims.ts') },
    minify: true,
    metafile: true,
  })
  writeLicenses(dist, metafile)
  copyPackageFiles(PACKAGE, folder)
  if (folder !== PACKAGE)
    cpSync(path.join(PACKAGE, 'server.json'), path.join(folder, 'server.json'))
}

await runScript(import.meta, {
  help: `Usage: npx node scripts/build-mcp.ts

Builds packages/mcp as it is published: dist and the license.

Exit code: 0 done, 1 it does not build, 2 wrong usage.
`,
  async run() {
    await buildMcp(PACKAGE)
    process.stdout.write('Built packages/mcp\n')
    return 0
  },
})
