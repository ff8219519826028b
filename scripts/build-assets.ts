import { readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions } from 'esbuild'
import { withRemoved, type GeneratedFile } from './generated-files.ts'
import { BUNDLE } from './package-files.ts'

const ASSETS_DIR = 'assets'

/** Scripts of all pages, or of parts of a page. */
const OTHER_ENTRIES = new Set([
  'audit.ts',
  'challenge-token.ts',
  'log-audit.ts',
  'search.ts',
  'site.ts',
  'try-form.ts',
])

/** The ALTCHA widget with its worker and style sheet apart, as a strict Content-Security-Policy wants it, and our locales. */
const ALTCHA_ENTRY = `import 'altcha/external'
import 'altcha/i18n/th'
import 'altcha/i18n/zh-cn'
`

const COMMON = {
  ...BUNDLE,
  minify: true,
  platform: 'browser',
  conditions: ['import'],
  target: 'es2022',
} as const satisfies BuildOptions

async function bundle(name: string, options: BuildOptions): Promise<GeneratedFile> {
  const { outputFiles } = await build({ ...COMMON, ...options, write: false })
  return { file: `${ASSETS_DIR}/${name}`, text: outputFiles[0]?.text ?? '' }
}

/**
 * The scripts of the pages: each entry of src/browser as one module, the theme as a classic script, the style sheet, and the
 * ALTCHA widget.
 * Rejects with the bundler's errors. Files of `assets/` without a source are to be deleted.
 */
export async function assetFiles(rootDir: string): Promise<readonly GeneratedFile[]> {
  const sourceDir = path.join(rootDir, 'src', 'browser')
  const entries = readdirSync(sourceDir).filter(
    (file) => file.endsWith('-page.ts') || OTHER_ENTRIES.has(file),
  )
  const files = await Promise.all([
    ...entries.map((entry) =>
      bundle(entry.replace(/\.ts$/, '.js'), { entryPoints: [path.join(sourceDir, entry)] }),
    ),
    bundle('theme.js', { entryPoints: [path.join(sourceDir, 'theme.ts')], format: 'iife' }),
    bundle('altcha.js', { stdin: { contents: ALTCHA_ENTRY, resolveDir: rootDir } }),
    bundle('altcha-worker.js', {
      entryPoints: [fileURLToPath(import.meta.resolve('altcha/workers/pbkdf2'))],
    }),
    // As it is written: its nesting and its colors are for the browsers that the pages support.
    bundle('style.css', {
      entryPoints: [path.join(rootDir, 'src', 'pages', 'style.css')],
      target: 'esnext',
    }),
    bundle('altcha.css', {
      stdin: { contents: "@import 'altcha/altcha.css';", resolveDir: rootDir, loader: 'css' },
    }),
  ])
  return withRemoved(rootDir, ASSETS_DIR, files)
}
