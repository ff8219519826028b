import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { copyPackageFiles, PROGRAM, ROOT } from './package-files.ts'
import { runScript } from './script-main.ts'

const PACKAGE = path.join(ROOT, 'packages', 'mcp')

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
    minify: true,
    metafile: true,
  })
  const licenses = licensesOf(bundledPackages(Object.keys(metafile.inputs)))
  writeFileSync(path.join(dist, 'LICENSES.txt'), licenses)
  copyPackageFiles(PACKAGE, folder)
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
