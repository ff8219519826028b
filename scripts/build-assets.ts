import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions } from 'esbuild'

/** The ALTCHA widget with its worker and style sheet apart, as a strict Content-Security-Policy wants it, and our locales. */
const ALTCHA_ENTRY = `import 'altcha/external'
import 'altcha/i18n/th'
import 'altcha/i18n/zh-cn'
`

const COMMON = {
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  platform: 'browser',
  conditions: ['import'],
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'silent',
} as const satisfies BuildOptions

/** A file of `assets/`: its name there and its text. */
export interface BuiltAsset {
  readonly file: string
  readonly text: string
}

async function bundle(file: string, options: BuildOptions): Promise<BuiltAsset> {
  const { outputFiles } = await build({ ...COMMON, ...options, write: false })
  return { file, text: outputFiles[0]?.text ?? '' }
}

/**
 * The scripts of the pages: each entry of src/browser as one module, the theme as a classic script, and the ALTCHA widget.
 * Rejects with the bundler's errors.
 */
async function buildAssets(rootDir: string): Promise<readonly BuiltAsset[]> {
  const sourceDir = path.join(rootDir, 'src', 'browser')
  const entries = readdirSync(sourceDir).filter(
    (file) => file.endsWith('-page.ts') || ['site.ts', 'search.ts'].includes(file),
  )
  return Promise.all([
    ...entries.map((entry) =>
      bundle(entry.replace(/\.ts$/, '.js'), { entryPoints: [path.join(sourceDir, entry)] }),
    ),
    bundle('theme.js', { entryPoints: [path.join(sourceDir, 'theme.ts')], format: 'iife' }),
    bundle('altcha.js', { stdin: { contents: ALTCHA_ENTRY, resolveDir: rootDir } }),
    bundle('altcha-worker.js', {
      entryPoints: [fileURLToPath(import.meta.resolve('altcha/workers/pbkdf2'))],
    }),
    bundle('altcha.css', {
      stdin: { contents: "@import 'altcha/altcha.css';", resolveDir: rootDir, loader: 'css' },
    }),
  ])
}

const ASSETS_DIR = 'assets'

/** The differences between the built files and `assets/`: files to write, and files to delete. */
interface AssetDrift {
  readonly outdated: readonly BuiltAsset[]
  readonly left: readonly string[]
}

async function driftOf(rootDir: string): Promise<AssetDrift> {
  const dir = path.join(rootDir, ASSETS_DIR)
  mkdirSync(dir, { recursive: true })
  const built = await buildAssets(rootDir)
  const found = new Map(
    readdirSync(dir).map((file) => [file, readFileSync(path.join(dir, file), 'utf8')]),
  )
  return {
    outdated: built.filter(({ file, text }) => found.get(file) !== text),
    left: [...found.keys()].filter((file) => !built.some((asset) => asset.file === file)),
  }
}

/** A line for each file of `assets/` that is not what src/browser says; an empty list when all is up to date. */
export async function findAssetDrift(rootDir: string): Promise<readonly string[]> {
  const { outdated, left } = await driftOf(rootDir)
  return [
    ...outdated.map(
      ({ file }) => `assets/${file} is not what src/browser says; run npm run generate`,
    ),
    ...left.map((file) => `assets/${file} is made from nothing; run npm run generate`),
  ]
}

/** Writes `assets/` from src/browser and returns the changed paths. */
export async function writeAssets(rootDir: string): Promise<readonly string[]> {
  const { outdated, left } = await driftOf(rootDir)
  for (const { file, text } of outdated) writeFileSync(path.join(rootDir, ASSETS_DIR, file), text)
  for (const file of left) rmSync(path.join(rootDir, ASSETS_DIR, file))
  return [...outdated.map(({ file }) => file), ...left].map((file) => `${ASSETS_DIR}/${file}`)
}
