import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { BUNDLE, copyPackageFiles, ROOT } from './package-files.ts'

const PACKAGE = path.join(ROOT, 'packages', 'client')
const VECTORS = path.join(ROOT, 'test', 'vectors')

/** Modules that the package's `exports` and `imports` lead to. */
const ENTRIES = [
  'index.ts',
  'audit.ts',
  'log.ts',
  'write.ts',
  'node/index.ts',
  'web-crypto.ts',
  'node/node-crypto.ts',
  'web-fetch.ts',
  'node/node-fetch.ts',
].map((entry) => path.join(PACKAGE, 'src', entry))

const COMPILER_OPTIONS = {
  rootDir: path.join(ROOT, 'packages'),
  declaration: true,
  emitDeclarationOnly: true,
  module: 'nodenext',
  target: 'es2022',
  // Supported by every browser with Ed25519 in WebCrypto, and by Node 20.
  lib: ['es2023', 'es2024.string', 'dom'],
  types: ['node'],
  typeRoots: [path.join(ROOT, 'node_modules', '@types')],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
}

/** Writes the declarations of the client and of what it imports of the contract below `dist`. */
function declare(dist: string): void {
  const outDir = mkdtempSync(path.join(tmpdir(), 'build-client-'))
  const config = path.join(outDir, 'tsconfig.json')
  const compilerOptions = { ...COMPILER_OPTIONS, outDir }
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ENTRIES }))
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  try {
    execFileSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8', stdio: 'pipe' })
    // The client's modules name those of the contract as `#contract/…`, so the two folders may lie anywhere.
    cpSync(path.join(outDir, 'client', 'src'), path.join(dist, 'client'), { recursive: true })
    cpSync(path.join(outDir, 'contract'), path.join(dist, 'contract'), { recursive: true })
  } catch (error) {
    const { stdout, message } = error as Error & { readonly stdout?: string }
    throw new Error(`The client does not compile:\n${stdout ?? message}`, { cause: error })
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
}

const LIBRARY = { ...BUNDLE, target: 'es2022' } as const

/** Writes the modules that users import, with what they share in chunks; the contract's values are in them. */
async function writeModules(dist: string): Promise<void> {
  await build({
    ...LIBRARY,
    entryPoints: ENTRIES,
    outbase: path.join(PACKAGE, 'src'),
    outdir: path.join(dist, 'client'),
    splitting: true,
    chunkNames: 'chunk-[hash]',
    platform: 'neutral',
    // `imports` of the manifest decides by the platform.
    external: ['#crypto', '#fetch', 'node:*'],
  })
}

async function bundle(file: string): Promise<void> {
  await build({
    ...LIBRARY,
    entryPoints: [path.join(PACKAGE, 'src', 'index.ts')],
    outfile: file,
    minify: true,
    platform: 'browser',
  })
}

function copyVectors(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const files = readdirSync(VECTORS, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.json'),
  )
  for (const file of [...files, 'README.md']) {
    cpSync(path.join(VECTORS, file), path.join(folder, file))
  }
  const names = files.map((file) => file.slice(0, -'.json'.length))
  writeFileSync(path.join(folder, 'index.json'), `${JSON.stringify(names, undefined, 2)}\n`)
}

/**
 * Creates the published package in a folder: manifest, README, license, `dist` with modules, declarations and the
 * minified bundle, and `vectors`. Throws an Error with the compiler's messages if the client does not compile.
 */
export async function buildClient(folder: string): Promise<void> {
  const dist = path.join(folder, 'dist')
  rmSync(dist, { recursive: true, force: true })
  rmSync(path.join(folder, 'vectors'), { recursive: true, force: true })
  declare(dist)
  await writeModules(dist)
  await bundle(path.join(dist, 'client.min.js'))
  copyVectors(path.join(folder, 'vectors'))
  copyPackageFiles(PACKAGE, folder)
}
