import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { moduleReferences, type ModuleReference } from './module-references.ts'

/**
 * What each folder of src or of a package may import besides its own files; `../` refers to a folder beside src. It may know
 * the types of some layers, and nothing of them that runs.
 */
interface LayerRules {
  readonly [layer: string]: readonly string[]
}

const TYPES = 'the types of '

/** Layers that run in a browser as they are: no package and no `node:` module; .oxlintrc.json forbids globals of Node. */
const IN_BROWSER: ReadonlySet<string> = new Set([
  'browser',
  'contract',
  'documents',
  'packages/client',
])
/** The packages that the scripts of the pages contain. */
const BUNDLED: ReadonlySet<string> = new Set(['altcha-lib', 'minisearch'])

const LAYERS: LayerRules = {
  crypto: ['contract'],
  files: ['packages/client/node'],
  tlog: ['contract', 'packages/client', 'crypto', 'files'],
  'tlog/signing': ['contract', 'packages/client', 'crypto', 'files', 'tlog'],
  releases: ['contract', 'packages/client/node', 'crypto', 'files', 'tlog'],
  'storage/counters': [],
  'storage/stores': ['contract', 'the types of storage/counters'],
  'storage/sqlite': ['contract', 'packages/client/node', 'storage/stores'],
  'storage/postgres': ['contract', 'storage/stores', 'storage/counters'],
  storage: ['storage/stores', 'storage/sqlite', 'storage/postgres'],
  'publishing/rules': ['contract', 'files'],
  'publishing/leaks': ['publishing/rules'],
  'publishing/logo': ['files', 'publishing/rules'],
  'publishing/translations': ['contract', 'crypto', 'files', 'publishing/rules'],
  'publishing/imports': ['contract', 'publishing/rules'],
  'publishing/compile': [
    'contract',
    'crypto',
    'publishing/rules',
    'publishing/leaks',
    'publishing/logo',
    'publishing/translations',
    'publishing/imports',
  ],
  'publishing/editing': [
    'contract',
    'packages/client/node',
    'files',
    'publishing/rules',
    'publishing/translations',
    'publishing/compile',
  ],
  'publishing/releases': [
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
  service: [],
  'service/time': ['contract'],
  'service/challenge': ['contract', 'the types of service', 'the types of storage/counters'],
  'service/waitlist': [
    'contract',
    'crypto',
    'the types of service',
    'the types of service/challenge',
    'the types of storage/counters',
    'the types of storage/stores',
  ],
  'service/api-keys': [
    'contract',
    'crypto',
    'service/waitlist',
    'the types of service',
    'the types of storage/counters',
    'the types of storage/stores',
  ],
  'service/absent': ['contract', 'service/challenge', 'service/time'],
  'service/signing-keys': ['contract', 'crypto', 'the types of tlog'],
  'service/releases': ['contract', 'crypto', 'tlog', 'the types of releases'],
  'http/connection': ['contract', 'service', 'the types of http'],
  http: ['contract', 'crypto', 'service'],
  routes: ['contract', 'crypto', 'service', 'http', 'the types of tlog'],
  pages: ['contract', 'documents', 'crypto', 'tlog', 'service', 'http', '../locales'],
  browser: ['contract', 'packages/client'],
}

/** The packages beside the server; they import nothing of src. */
const PACKAGES: LayerRules = {
  contract: [],
  documents: ['contract'],
  'cli-kit': ['contract'],
  'packages/client': ['contract'],
  'packages/client/node': ['packages/client'],
  'packages/cli': ['contract', 'documents', 'cli-kit', 'packages/client', 'packages/client/node'],
  'packages/mcp': ['contract', 'cli-kit', 'packages/client', 'packages/cli'],
}

const ROOT_FILES: LayerRules = {
  'app.ts': ['contract', 'documents', 'crypto', 'service', 'http', 'routes', 'pages'],
  'config-mistake.ts': [],
  'environment-reader.ts': ['contract', 'config-mistake.ts'],
  'database-url.ts': [],
  'config.ts': [
    'contract',
    'service',
    'database-url.ts',
    'environment-reader.ts',
    'the types of storage/stores',
  ],
  'logger.ts': ['contract', 'service', 'config.ts'],
  'secrets.ts': ['contract', 'crypto', 'service', 'config-mistake.ts', 'config.ts'],
  'local-secrets.ts': [
    'contract',
    'crypto',
    'packages/client/node',
    'service',
    'config-mistake.ts',
    'config.ts',
    'secrets.ts',
  ],
}

/**
 * The import map: imports run one way. Type imports count too, because naming a type is a dependency. A folder that
 * is not on the map is a fault, and so is a permission that no import uses, so that the map states the actual
 * dependencies.
 */
const LAYER_RULES: LayerRules = {
  ...LAYERS,
  ...PACKAGES,
  ...ROOT_FILES,
  process: [
    'contract',
    'packages/client',
    'crypto',
    'releases',
    'storage',
    'service',
    'http',
    ...Object.keys(ROOT_FILES).filter((name) => name !== 'database-url.ts'),
    'the types of tlog',
  ],
  'main.ts': ['process'],
  cards: ['contract', 'service', 'pages', 'the types of releases'],
  preview: [
    'contract',
    'crypto',
    'files',
    'publishing',
    'service',
    'http',
    'pages',
    'app.ts',
    'the types of releases',
  ],
  copy: [
    'contract',
    'packages/client',
    'packages/client/node',
    'files',
    'tlog',
    'releases',
    'service',
    'http',
    'pages',
    'app.ts',
  ],
  cli: [
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
    'environment-reader.ts',
    'logger.ts',
    'secrets.ts',
  ],
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
    const isBundled = layer === 'browser' && specifier !== undefined && BUNDLED.has(specifier)
    if (!IN_BROWSER.has(layer) || isBundled) return undefined
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
  if (other === layer || rule.some((allowed) => covers(allowed, other))) return undefined
  if (target.startsWith('../') && packageFolderOf(target) === undefined) {
    return `imports ${specifier}, which is outside the source tree`
  }
  if (isTypeOnly && rule.some((allowed) => covers(allowed, TYPES + other))) return undefined
  return `imports ${target}, but ${layer} may import only ${rule.join(', ') || 'its own files'}`
}

/** A rule that has one home, the text that gives a second one away, and the files and folders that may have it. */
interface RuleHome {
  readonly rule: string
  readonly text: RegExp
  readonly homes: readonly string[]
}

/** The rules of the table in ARCHITECTURE.md whose second home is recognizable by its text. */
const RULE_HOMES: readonly RuleHome[] = [
  {
    rule: 'what is an outage',
    text: /\bfunction is(?:\w*Outage|Inconclusive|Lost|Unreachable)\b/,
    homes: [
      '../packages/client/src/outage.ts',
      '../packages/client/src/http-response.ts',
      // The same question about requests of commands, which no client makes.
      '../packages/cli/src/verifying/requests.ts',
    ],
  },
  {
    rule: 'the forms of a copy',
    text: /svc\.public\.(?:copy|site)\.v\d/,
    homes: [
      '../packages/client/src/copies/copy-proof.ts',
      '../packages/contract/http/copy-files.ts',
    ],
  },
  {
    rule: 'what a killed command left',
    text: /\.partial\b/,
    homes: ['../packages/client/src/node/durable-file.ts', 'releases/release-store.ts'],
  },
  {
    rule: 'what is part of the status',
    text: /['`]site\/events/,
    homes: [
      '../packages/contract/snapshots/past-events.ts',
      '../packages/contract/registry/resource-names.ts',
    ],
  },
  {
    rule: 'how far a time may be ahead',
    text: /\b(?:300_000|5 \* 60_000)\b/,
    homes: ['../packages/contract/registry/release-notices.ts'],
  },
  {
    rule: 'the environment file',
    text: /\bparseEnv\b|\bfunction parseEnvironmentFile\b/,
    homes: ['cli/environment-file.ts'],
  },
  {
    rule: 'the statements of the database',
    text: /\b(?:INSERT INTO|DELETE FROM) /,
    homes: ['storage/'],
  },
]

/** Each line that has a rule outside of its home. */
export function findSecondHomes(sourceDir: string): readonly string[] {
  return sourceFilesOf(sourceDir).flatMap((file) =>
    readFileSync(path.join(sourceDir, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        RULE_HOMES.filter(
          ({ text, homes }) =>
            !/^\s*(?:\/\/|\/?\*)/.test(line) &&
            text.test(line) &&
            !homes.some((home) => file.startsWith(home)),
        ).map(
          ({ rule, homes: [home = ''] }) =>
            `${file}:${index + 1} is a second home of a rule: ${rule}; expected it in ${home} alone`,
        ),
      ),
  )
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
  return Object.entries(LAYER_RULES).flatMap(([layer, rule]) =>
    rule
      .map((each) => each.replace(TYPES, ''))
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
    ...[...findLayerFaults(sourceDir), ...findSecondHomes(sourceDir)].map((line) =>
      path.posix.join('src', line),
    ),
    ...findIdleAllowances(sourceDir).map(
      (allowance) => `scripts/layers.ts allows ${allowance}, which nothing does`,
    ),
  ]
}
