import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { moduleReferences, nameUses, type ModuleReference } from './module-references.ts'
import { runScript } from './script-main.ts'

/** What a folder of src may import besides its own files; `../` refers to a folder beside src. */
interface RoomRule {
  readonly mayImport: readonly string[]
  /** Rooms of which it may know the types, and nothing that runs. */
  readonly mayImportTypesOf?: readonly string[]
  /** Runs in a browser as it is: no package, no `node:` module, no global of Node. */
  readonly isPortable?: true
}

const LAYERS: { readonly [layer: string]: RoomRule } = {
  contract: { mayImport: [], isPortable: true },
  documents: { mayImport: ['contract'], isPortable: true },
  crypto: { mayImport: ['contract'] },
  storage: { mayImport: ['contract', 'crypto'] },
  publishing: { mayImport: ['contract', 'crypto', 'storage'] },
  service: { mayImport: ['contract', 'crypto'], mayImportTypesOf: ['storage'] },
  http: { mayImport: ['contract', 'crypto', 'service'] },
  routes: { mayImport: ['contract', 'service', 'http'], mayImportTypesOf: ['documents'] },
  pages: { mayImport: ['contract', 'documents', 'crypto', 'service', 'http', '../locales'] },
  browser: { mayImport: ['contract', 'packages/client'], isPortable: true },
}

/** The packages beside the server. Their builds compile in what they import of src, so they install without it. */
const PACKAGES: { readonly [folder: string]: RoomRule } = {
  'packages/client': { mayImport: ['contract'], isPortable: true },
  'packages/client/node': { mayImport: ['packages/client'] },
  'packages/cli': {
    mayImport: ['contract', 'documents', 'packages/client', 'packages/client/node'],
  },
}

const ROOT_FILES: { readonly [file: string]: RoomRule } = {
  'app.ts': {
    mayImport: ['contract', 'documents', 'crypto', 'service', 'http', 'routes', 'pages'],
  },
  'environment-reader.ts': { mayImport: [] },
  'config.ts': {
    mayImport: ['contract', 'service', 'environment-reader.ts'],
    mayImportTypesOf: ['storage'],
  },
  'log.ts': { mayImport: ['service', 'config.ts'] },
  'secrets.ts': { mayImport: ['contract', 'crypto', 'service', 'config.ts'] },
  'local-secrets.ts': {
    mayImport: ['contract', 'crypto', 'storage', 'service', 'config.ts', 'secrets.ts'],
  },
}

/**
 * The import map: imports run one way. Type imports count too, because naming a type is a dependency. A folder that
 * is not on the map is a fault, and so is a permission that no import uses, so that the map states the actual
 * dependencies.
 */
const ROOMS: { readonly [room: string]: RoomRule } = {
  ...LAYERS,
  ...PACKAGES,
  ...ROOT_FILES,
  process: {
    mayImport: ['contract', 'crypto', 'storage', 'service', 'http', ...Object.keys(ROOT_FILES)],
  },
  'main.ts': { mayImport: ['process'] },
  cli: {
    mayImport: [
      'contract',
      'packages/cli',
      'crypto',
      'storage',
      'publishing',
      'service',
      'process',
      'config.ts',
      'secrets.ts',
    ],
  },
}

const NODE_GLOBALS = [
  // Leads to every other one, and its target cannot be determined from the code.
  'globalThis',
  'process',
  'Buffer',
  'global',
  'require',
  'module',
  'exports',
  '__dirname',
  '__filename',
  'setImmediate',
  'clearImmediate',
]

/** One import, or one use of a name, that the map does not allow. */
export interface LayerFinding {
  /** Path below the checked folder, with slashes. */
  readonly file: string
  readonly line: number
  /** A file's imports and other references, with its folder's permissions. */
  readonly message: string
}

const PACKAGE_FILE = /^\.\.\/(packages\/[^/]+)\/src\/(node\/)?/

/** The room of a file, by its path relative to src. */
function roomOf(file: string): string {
  const [, folder, node] = PACKAGE_FILE.exec(file) ?? []
  if (folder === undefined) return file.split('/', 1)[0] ?? file
  return node === undefined ? folder : `${folder}/node`
}

/** The path relative to src that a relative import in a file leads to. */
function targetOf(file: string, specifier: string): string {
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier))
  return target.replace(/^\.\.\/src\//, '')
}

/** The folder of a path: a folder of src, or one beside it. */
function placeOf(target: string): string {
  const isElsewhere = target.startsWith('../') && !PACKAGE_FILE.test(target)
  return isElsewhere ? path.posix.dirname(target) : roomOf(target)
}

function allowanceOf(room: string, { mayImport, mayImportTypesOf = [] }: RoomRule): string {
  const words = [...mayImport, ...mayImportTypesOf.map((other) => `the types of ${other}`)]
  return `${room} may import only ${words.length === 0 ? 'its own files' : words.join(', ')}`
}

/** The fault of one reference; undefined if the map allows it. */
function faultOf(file: string, reference: ModuleReference): string | undefined {
  const room = roomOf(file)
  const rule = ROOMS[room]
  if (rule === undefined) return `is in ${room}, which is not on the import map`
  const { specifier, isTypeOnly } = reference
  if (specifier === undefined) return 'imports a computed path; expected a literal one'
  // Which module that is decides `imports` in package.json, by the platform: portable code names it and knows neither.
  if (specifier.startsWith('#')) return undefined
  if (!specifier.startsWith('.')) {
    if (rule.isPortable !== true) return undefined
    return `imports ${specifier}, but ${room} runs in a browser and may import no package and no module of Node`
  }
  const target = targetOf(file, specifier)
  const other = placeOf(target)
  if (other === room || rule.mayImport.includes(other)) return undefined
  if (target.startsWith('../') && !PACKAGE_FILE.test(target)) {
    return `imports ${specifier}, which is outside the source tree`
  }
  if (isTypeOnly && rule.mayImportTypesOf?.includes(other) === true) return undefined
  return `imports ${target}, but ${allowanceOf(room, rule)}`
}

/** Every TypeScript file below a source folder and in the packages beside it, relative to that folder, with slashes. */
function sourceFilesOf(sourceDir: string): readonly string[] {
  const packagesDir = path.join(sourceDir, '..', 'packages')
  const folders = existsSync(packagesDir)
    ? readdirSync(packagesDir).map((name) => `../packages/${name}/src`)
    : []
  return ['.', ...folders]
    .flatMap((folder) =>
      readdirSync(path.join(sourceDir, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.posix.join(folder, file.replaceAll(path.sep, '/')),
      ),
    )
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
}

/** Permissions that no file uses, as `folder: permission`; empty if the map is accurate. */
export function findIdleAllowances(sourceDir: string): readonly string[] {
  const idle = new Set(
    Object.entries(ROOMS).flatMap(([room, { mayImport, mayImportTypesOf = [] }]) =>
      [...mayImport, ...mayImportTypesOf].map((other) => `${room}: ${other}`),
    ),
  )
  for (const file of sourceFilesOf(sourceDir)) {
    for (const { specifier } of moduleReferences(
      readFileSync(path.join(sourceDir, file), 'utf8'),
    )) {
      if (specifier?.startsWith('.') !== true) continue
      idle.delete(`${roomOf(file)}: ${placeOf(targetOf(file, specifier))}`)
    }
  }
  return [...idle]
}

/** Checks every TypeScript file against the import map. Returns the faults. */
export function findLayerFaults(sourceDir: string): readonly LayerFinding[] {
  return sourceFilesOf(sourceDir).flatMap((file) => {
    const source = readFileSync(path.join(sourceDir, file), 'utf8')
    const findings: LayerFinding[] = []
    for (const reference of moduleReferences(source)) {
      const message = faultOf(file, reference)
      if (message !== undefined) findings.push({ file, line: reference.line, message })
    }
    if (ROOMS[roomOf(file)]?.isPortable !== true) return findings
    for (const { name, line } of nameUses(source, NODE_GLOBALS)) {
      const message = `uses ${name}, but ${roomOf(file)} runs in a browser and may use no global of Node`
      findings.push({ file, line, message })
    }
    return findings
  })
}

/** All that is wrong below the root of a repository, a line each: with its imports, and with the map itself. */
export function layerLines(rootDir: string): readonly string[] {
  const sourceDir = path.join(rootDir, 'src')
  return [
    ...findLayerFaults(sourceDir).map(
      ({ file, line, message }) => `${path.posix.join('src', file)}:${line} ${message}`,
    ),
    ...findIdleAllowances(sourceDir).map(
      (allowance) => `scripts/layers.ts allows ${allowance}, which nothing does`,
    ),
  ]
}

await runScript(import.meta, {
  help: `Usage: npx node scripts/layers.ts

Lists the imports of src that the import map does not allow, and its unused permissions, one per line.

Exit code: 0 all is well, 1 something is wrong, 2 wrong usage.
`,
  run() {
    const lines = layerLines(fileURLToPath(new URL('..', import.meta.url)))
    for (const line of lines) process.stderr.write(`${line}\n`)
    return lines.length === 0 ? 0 : 1
  },
})
