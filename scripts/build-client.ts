import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { moduleReferences } from './module-references.ts'
import { runScript } from './script-main.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGE = path.join(ROOT, 'packages', 'client')
const VECTORS = path.join(ROOT, 'test', 'vectors')

/** Modules that the package's `exports` and `imports` lead to. */
const ENTRIES = [
  'index.ts',
  'audit.ts',
  'log.ts',
  'write.ts',
  'run-vectors.ts',
  'node/file-head-store.ts',
  'web-crypto.ts',
  'node/node-crypto.ts',
]

const COMPILER_OPTIONS = {
  rootDir: path.join(ROOT, 'packages'),
  declaration: true,
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
  resolveJsonModule: true,
  rewriteRelativeImportExtensions: true,
}

/** Compiles the entries and all they import to JavaScript and declarations below `outDir`. */
function compile(outDir: string): void {
  const config = path.join(outDir, 'tsconfig.json')
  const files = ENTRIES.map((entry) => path.join(PACKAGE, 'src', entry))
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...COMPILER_OPTIONS, outDir }, files }))
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  try {
    execFileSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    const { stdout, message } = error as Error & { readonly stdout?: string }
    throw new Error(`The client does not compile:\n${stdout ?? message}`, { cause: error })
  }
}

/**
 * Declarations import each other with .js, as compilers expect. Descriptions, which are literal types in them, are
 * removed: no type of the client uses them, and they are half of the size.
 */
function tidyDeclarations(text: string): string {
  return text
    .replaceAll(/(from |import\()(['"])(\.[^'"]+)\.ts\2/g, '$1$2$3.js$2')
    .replaceAll(/^ +readonly (?:description|example|summary|message|meaning): ["'`\d].*;\n/gm, '')
}

/** The compiled files that the entries lead to by imports, those of types as well for declarations. */
function reachable(outDir: string, extension: '.js' | '.d.ts'): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (file: string): void => {
    if (found.has(file)) return
    found.add(file)
    for (const { specifier } of moduleReferences(readFileSync(path.join(outDir, file), 'utf8'))) {
      if (specifier?.startsWith('#contract/') === true) {
        visit(`contract/${specifier.slice('#contract/'.length)}${extension}`)
      } else if (specifier?.startsWith('.') === true) {
        const target = path.posix.join(path.posix.dirname(file), specifier)
        visit(target.replace(/\.js$/, extension))
      }
    }
  }
  for (const entry of ENTRIES) visit(`client/src/${entry.replace(/\.ts$/, extension)}`)
  return found
}

async function bundle(file: string): Promise<void> {
  await build({
    entryPoints: [path.join(PACKAGE, 'src', 'index.ts')],
    outfile: file,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
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
  mkdirSync(dist, { recursive: true })
  const outDir = mkdtempSync(path.join(tmpdir(), 'build-client-'))
  try {
    compile(outDir)
    for (const file of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.d.ts')) continue
      const full = path.join(outDir, file)
      writeFileSync(full, tidyDeclarations(readFileSync(full, 'utf8')))
    }
    for (const file of [...reachable(outDir, '.js'), ...reachable(outDir, '.d.ts')]) {
      const target = path.join(dist, file.replace(/^client\/src\//, 'client/'))
      mkdirSync(path.dirname(target), { recursive: true })
      cpSync(path.join(outDir, file), target)
    }
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
  await bundle(path.join(dist, 'client.min.js'))
  copyVectors(path.join(folder, 'vectors'))
  cpSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'))
  if (folder === PACKAGE) return
  for (const file of ['package.json', 'README.md']) {
    cpSync(path.join(PACKAGE, file), path.join(folder, file))
  }
}

await runScript(import.meta, {
  help: `Usage: npx node scripts/build-client.ts

Makes what packages/client is published with from its src and test/vectors: dist, vectors and the license.

Exit code: 0 done, 1 it does not compile, 2 wrong usage.
`,
  async run() {
    await buildClient(PACKAGE)
    process.stdout.write('Built packages/client\n')
    return 0
  },
})
