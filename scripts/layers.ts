import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { moduleReferences, type ModuleReference } from './module-references.ts'

/** What a folder of src or of a package may import besides its own files; `../` refers to a folder beside src. */
interface LayerRule {
  readonly mayImport: readonly string[]
  /** Layers of which it may know the types, and nothing that runs. */
  readonly mayImportTypesOf?: readonly string[]
  /** Runs in a browser as it is: no package and no `node:` module; .oxlintrc.json forbids globals of Node. */
  readonly runsInBrowser?: true
  /** Packages that the bundles for browsers contain. */
  readonly mayBundle?: readonly string[]
}

const LAYERS: { readonly [layer: string]: LayerRule } = {
  crypto: { mayImport: ['contract'] },
  files: { mayImport: ['packages/client/node'] },
  tlog: { mayImport: ['contract', 'packages/client', 'crypto', 'files'] },
  'tlog/signing': {
    mayImport: ['contract', 'packages/client', 'crypto', 'files', 'tlog'],
  },
  releases: { mayImport: ['contract', 'packages/client/node', 'crypto', 'files', 'tlog'] },
  'storage/counters': { mayImport: ['contract'] },
  'storage/stores': { mayImport: ['contract'], mayImportTypesOf: ['storage/counters'] },
  'storage/sqlite': {
    mayImport: ['contract', 'packages/client/node', 'storage/stores'],
  },
  'storage/postgres': { mayImport: ['contract', 'storage/stores', 'storage/counters'] },
  storage: { mayImport: ['storage/stores', 'storage/sqlite', 'storage/postgres'] },
  'publishing/rules': { mayImport: ['contract', 'files'] },
  'publishing/leaks': { mayImport: ['publishing/rules'] },
  'publishing/logo': { mayImport: ['files', 'publishing/rules'] },
  'publishing/translations': { mayImport: ['contract', 'crypto', 'files', 'publishing/rules'] },
  'publishing/imports': { mayImport: ['contract', 'publishing/rules'] },
  'publishing/compile': {
    mayImport: [
      'contract',
      'crypto',
      'publishing/rules',
      'publishing/leaks',
      'publishing/logo',
      'publishing/translations',
      'publishing/imports',
    ],
  },
  'publishing/editing': {
    mayImport: [
      'contract',
      'packages/client/node',
      'files',
      'publishing/rules',
      'publishing/compile',
    ],
  },
  'publishing/releases': {
    mayImport: [
      'contract',
      'packages/client',
      'crypto',
      'files',
      'releases',
      'publishing/rules',
      'publishing/leaks',
      'publishing/translations',
      'publishing/compile',
      'publishing/editing',
    ],
  },
  service: { mayImport: [] },
  'service/time': { mayImport: ['contract'] },
  'service/challenge': {
    mayImport: ['contract'],
    mayImportTypesOf: ['service', 'storage/counters'],
  },
  'service/waitlist': {
    mayImport: ['contract', 'crypto'],
    mayImportTypesOf: ['service', 'service/challenge', 'storage/counters', 'storage/stores'],
  },
  'service/api-keys': {
    mayImport: ['contract', 'crypto', 'service/waitlist'],
    mayImportTypesOf: ['service', 'storage/counters', 'storage/stores'],
  },
  'service/absent': {
    mayImport: ['contract'],
    mayImportTypesOf: ['service/api-keys', 'service/waitlist'],
  },
  'service/signing-keys': { mayImport: ['contract', 'crypto'], mayImportTypesOf: ['tlog'] },
  'service/releases': {
    mayImport: ['contract', 'crypto', 'tlog'],
    mayImportTypesOf: ['releases'],
  },
  'http/connection': {
    mayImport: ['contract', 'service'],
    mayImportTypesOf: ['http'],
  },
  http: { mayImport: ['contract', 'crypto', 'service'] },
  routes: {
    mayImport: ['contract', 'crypto', 'service', 'http'],
    mayImportTypesOf: ['documents', 'tlog'],
  },
  pages: {
    mayImport: ['contract', 'documents', 'crypto', 'tlog', 'service', 'http', '../locales'],
  },
  browser: {
    mayImport: ['contract', 'packages/client'],
    runsInBrowser: true,
    mayBundle: ['minisearch'],
  },
}

/** The packages beside the server; they import nothing of src. */
const PACKAGES: { readonly [folder: string]: LayerRule } = {
  contract: { mayImport: [], runsInBrowser: true },
  documents: { mayImport: ['contract'], runsInBrowser: true },
  'cli-kit': { mayImport: ['contract'] },
  'packages/client': { mayImport: ['contract'], runsInBrowser: true },
  'packages/client/node': { mayImport: ['packages/client'] },
  'packages/cli': {
    mayImport: ['contract', 'documents', 'cli-kit', 'packages/client', 'packages/client/node'],
  },
  'packages/mcp': { mayImport: ['contract', 'cli-kit', 'packages/client', 'packages/cli'] },
}

const ROOT_FILES: { readonly [file: string]: LayerRule } = {
  'app.ts': {
    mayImport: ['contract', 'documents', 'crypto', 'service', 'http', 'routes', 'pages'],
  },
  'config-mistake.ts': { mayImport: [] },
  'environment-reader.ts': { mayImport: ['contract', 'config-mistake.ts'] },
  'config.ts': {
    mayImport: ['contract', 'service', 'environment-reader.ts'],
    mayImportTypesOf: ['storage/stores'],
  },
  'logger.ts': { mayImport: ['contract', 'service', 'config.ts'] },
  'secrets.ts': { mayImport: ['contract', 'crypto', 'service', 'config-mistake.ts', 'config.ts'] },
  'local-secrets.ts': {
    mayImport: [
      'contract',
      'crypto',
      'packages/client/node',
      'service',
      'config-mistake.ts',
      'config.ts',
      'secrets.ts',
    ],
  },
}

/**
 * The import map: imports run one way. Type imports count too, because naming a type is a dependency. A folder that
 * is not on the map is a fault, and so is a permission that no import uses, so that the map states the actual
 * dependencies.
 */
const LAYER_RULES: { readonly [layer: string]: LayerRule } = {
  ...LAYERS,
  ...PACKAGES,
  ...ROOT_FILES,
  process: {
    mayImport: [
      'contract',
      'packages/client',
      'crypto',
      'releases',
      'storage',
      'service',
      'http',
      ...Object.keys(ROOT_FILES),
    ],
    mayImportTypesOf: ['tlog'],
  },
  'main.ts': { mayImport: ['process'] },
  cards: { mayImport: ['contract', 'service', 'pages'], mayImportTypesOf: ['releases'] },
  preview: {
    mayImport: ['contract', 'crypto', 'files', 'publishing', 'service', 'http', 'pages', 'app.ts'],
    mayImportTypesOf: ['releases'],
  },
  copy: {
    mayImport: [
      'contract',
      'packages/client',
      'packages/client/node',
      'files',
      'releases',
      'service',
      'http',
      'routes',
      'pages',
      'app.ts',
    ],
  },
  cli: {
    mayImport: [
      'contract',
      'cli-kit',
      'packages/cli',
      'packages/client',
      'crypto',
      'files',
      'tlog',
      'releases',
      'storage',
      'publishing',
      'service',
      'process',
      'preview',
      'copy',
      'cards',
      'config-mistake.ts',
      'config.ts',
      'logger.ts',
      'secrets.ts',
    ],
  },
}

/** Folders of packages, relative to src, with their layers; the innermost folder first. */
const PACKAGE_FOLDERS: readonly (readonly [folder: string, layer: string])[] = [
  ['../packages/contract/documents/', 'documents'],
  ['../packages/contract/', 'contract'],
  ['../packages/cli-kit/', 'cli-kit'],
  ['../packages/client/src/node/', 'packages/client/node'],
  ['../packages/client/src/', 'packages/client'],
  ['../packages/cli/src/', 'packages/cli'],
  ['../packages/mcp/', 'packages/mcp'],
]

/** What specifiers by name begin with, and the folder relative to src that each refers to. */
const PACKAGE_NAMES: readonly (readonly [name: string, folder: string])[] = [
  ['@public-api/contract/', '../packages/contract/'],
  ['#contract/', '../packages/contract/'],
  ['@public-api/cli-kit/', '../packages/cli-kit/'],
  ['@public-api/client-internal/', '../packages/client/src/'],
  ['@public-api/cli/', '../packages/cli/'],
]

function packageFolderOf(file: string): readonly [folder: string, layer: string] | undefined {
  return PACKAGE_FOLDERS.find(([folder]) => file.startsWith(folder))
}

/** The layer of a file, by its path relative to src: the innermost folder on the map, else its outermost folder. */
function layerOf(file: string): string {
  const packaged = packageFolderOf(file)?.[1]
  if (packaged !== undefined) return packaged
  for (let folder = path.posix.dirname(file); folder !== '.'; folder = path.posix.dirname(folder)) {
    if (folder in LAYER_RULES) return folder
  }
  return file.split('/', 1)[0] ?? file
}

/** Whether a permission covers a layer. One for a folder covers the layers inside it. */
function covers(permission: string, layer: string): boolean {
  return permission === layer || layer.startsWith(`${permission}/`)
}

/** The path relative to src that a specifier leads to; undefined for modules of Node and packages of others. */
function targetOf(file: string, specifier: string): string | undefined {
  const named = PACKAGE_NAMES.find(([name]) => specifier.startsWith(name))
  if (named !== undefined) return named[1] + specifier.slice(named[0].length)
  if (!specifier.startsWith('.')) return undefined
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier))
  return target.replace(/^\.\.\/src\//, '')
}

/** The folder of a path: a folder of src, one of a package, or another one beside src. */
function placeOf(target: string): string {
  const isElsewhere = target.startsWith('../') && packageFolderOf(target) === undefined
  return isElsewhere ? path.posix.dirname(target) : layerOf(target)
}

/** The package that a path relative to src belongs to; the server is one too. */
function packageOf(file: string): string {
  return /^\.\.\/packages\/[^/]+/.exec(file)?.[0] ?? 'src'
}

function allowanceOf(layer: string, { mayImport, mayImportTypesOf = [] }: LayerRule): string {
  const words = [...mayImport, ...mayImportTypesOf.map((other) => `the types of ${other}`)]
  return `${layer} may import only ${words.length === 0 ? 'its own files' : words.join(', ')}`
}

/** The fault of one reference; undefined if the map allows it. */
function faultOf(file: string, reference: ModuleReference): string | undefined {
  const layer = layerOf(file)
  const rule = LAYER_RULES[layer]
  if (rule === undefined) return `is in ${layer}, which is not on the import map`
  const { specifier, isTypeOnly } = reference
  // A page names the addresses of its built scripts.
  if (specifier === undefined && layer === 'browser') return undefined
  if (specifier === undefined) return 'imports a computed path; expected a literal one'
  // Which module that is decides `imports` in package.json, by the platform: portable code names it and knows neither.
  if (specifier === '#crypto' || specifier === '#fetch') return undefined
  const target = targetOf(file, specifier)
  if (target === undefined) {
    if (rule.runsInBrowser !== true || rule.mayBundle?.includes(specifier)) return undefined
    return `imports ${specifier}, but ${layer} runs in a browser and may import no package and no module of Node`
  }
  if (
    specifier.startsWith('.') &&
    packageFolderOf(target) !== undefined &&
    packageOf(file) !== packageOf(target)
  ) {
    return `imports ${target} by its path; expected the name of its package`
  }
  const other = placeOf(target)
  if (other === layer || rule.mayImport.some((allowed) => covers(allowed, other))) return undefined
  if (target.startsWith('../') && packageFolderOf(target) === undefined) {
    return `imports ${specifier}, which is outside the source tree`
  }
  if (isTypeOnly && rule.mayImportTypesOf?.some((allowed) => covers(allowed, other)) === true) {
    return undefined
  }
  return `imports ${target}, but ${allowanceOf(layer, rule)}`
}

const BUILT = /^\.\.\/packages\/[^/]+\/(?:dist|node_modules)\//

/** Every TypeScript file below a source folder and in the packages beside it, relative to that folder, with slashes. */
function sourceFilesOf(sourceDir: string): readonly string[] {
  const packagesDir = path.join(sourceDir, '..', 'packages')
  const folders = existsSync(packagesDir)
    ? readdirSync(packagesDir).map((name) => `../packages/${name}`)
    : []
  return ['.', ...folders]
    .flatMap((folder) =>
      readdirSync(path.join(sourceDir, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.posix.join(folder, file.replaceAll(path.sep, '/')),
      ),
    )
    .filter((file) => file.endsWith('.ts') && !BUILT.test(file))
    .toSorted()
}

/** Every reference of every TypeScript file. */
function referencesIn(sourceDir: string) {
  return sourceFilesOf(sourceDir).flatMap((file) =>
    moduleReferences(readFileSync(path.join(sourceDir, file), 'utf8')).map(
      (reference) => [file, reference] as const,
    ),
  )
}

/** Permissions that no file uses, as `folder: permission`; empty if the map is accurate. */
export function findIdleAllowances(sourceDir: string): readonly string[] {
  const used = referencesIn(sourceDir).flatMap(([file, { specifier = '' }]) => {
    const target = targetOf(file, specifier)
    return target === undefined ? [] : [[layerOf(file), placeOf(target)] as const]
  })
  return Object.entries(LAYER_RULES).flatMap(([layer, { mayImport, mayImportTypesOf = [] }]) =>
    [...mayImport, ...mayImportTypesOf]
      .filter((each) => !used.some(([from, target]) => from === layer && covers(each, target)))
      .map((each) => `${layer}: ${each}`),
  )
}

/** Each import that the map does not allow, with its place below the source folder. */
export function findLayerFaults(sourceDir: string): readonly string[] {
  return referencesIn(sourceDir).flatMap(([file, reference]) => {
    const fault = faultOf(file, reference)
    return fault === undefined ? [] : [`${file}:${reference.line} ${fault}`]
  })
}

/** All that is wrong below the root of a repository, a line each: with its imports, and with the map itself. */
export function layerLines(rootDir: string): readonly string[] {
  const sourceDir = path.join(rootDir, 'src')
  return [
    ...findLayerFaults(sourceDir).map((line) => path.posix.join('src', line)),
    ...findIdleAllowances(sourceDir).map(
      (allowance) => `scripts/layers.ts allows ${allowance}, which nothing does`,
    ),
  ]
}
