import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Organization } from '@public-api/contract/snapshots/organization'
import { sha256Base64url } from '../../crypto/sha256.ts'
import { escapeHtml } from './html.ts'

const PAGES_DIR = fileURLToPath(new URL('..', import.meta.url))
const ASSETS_DIR = fileURLToPath(new URL('../../../assets', import.meta.url))

/** The icon: of the software in a demonstration, else the initial of the organization. */
export const ICON_FILE = 'favicon.svg'

const MEDIA_TYPES: { readonly [extension: string]: string } = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
}

const DIGEST_CHARACTERS = 12
/** Path of a file of any build: name, digest and extension. */
const BUILT_PATH = new RegExp(String.raw`^/assets/([\w-]+)\.[\w-]{${DIGEST_CHARACTERS}}(\.\w+)$`)

/** The style sheet with the accent color of the organization. CSP forbids inline styles. */
export const ACCENT_FILE = 'accent.css'

function accentCss({ light, dark }: NonNullable<Organization['accentColor']>): string {
  return `:root{--accent:light-dark(${light},${dark})}\n`
}

export function logoFile({ mediaType }: NonNullable<Organization['logo']>): string {
  return mediaType === 'image/png' ? 'logo.png' : 'logo.svg'
}

/** Ratio of the longer to the shorter side up to which a logo is legible as an icon. */
const MAX_ICON_RATIO = 1.5

/** The icon of browser tabs: the logo, or the initial without a logo or with one that is too wide or too high. */
export function iconOf(organization: Organization | undefined) {
  const { logo } = organization ?? {}
  const ratio = logo === undefined ? Infinity : logo.width / logo.height
  return logo !== undefined && Math.max(ratio, 1 / ratio) <= MAX_ICON_RATIO
    ? { file: logoFile(logo), mediaType: logo.mediaType }
    : { file: ICON_FILE, mediaType: 'image/svg+xml' }
}

/** The accent color of the style sheet, for an organization without its own. */
export const DEFAULT_ACCENT = '#0a5a70'

function initialIcon(name: string, accent = DEFAULT_ACCENT): string {
  const [first] = new Intl.Segmenter().segment(name)
  const initial = escapeHtml((first?.segment ?? '').toUpperCase())
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="${accent}"/><text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="bold" fill="#fff" text-anchor="middle">${initial}</text></svg>\n`
}

/**
 * Reads the icon of src/pages and all of `assets/`, which `npm run generate` builds from src/browser and the style sheet; the
 * organization adds its accent color, its icon and its logo. Paths contain a digest of the content, so responses can be
 * cached forever.
 */
export function readSiteAssets({ name, accentColor, logo }: Partial<Organization> = {}) {
  const byFile = new Map<string, ReturnType<typeof assetOf>>()

  function assetOf(file: string, content: string | Buffer) {
    const { name: stem, ext } = path.parse(file)
    const digest = sha256Base64url(content.toString('base64')).slice(0, DIGEST_CHARACTERS)
    const contentType = MEDIA_TYPES[ext]
    if (contentType === undefined) {
      const known = Object.keys(MEDIA_TYPES).join(', ')
      throw new Error(`${file} has no media type here; expected one of ${known}`)
    }
    return { path: `/assets/${stem}.${digest}${ext}`, contentType, content }
  }
  const add = (file: string, content: string | Buffer) => byFile.set(file, assetOf(file, content))

  add(ICON_FILE, readFileSync(path.join(PAGES_DIR, ICON_FILE), 'utf8'))
  for (const file of readdirSync(ASSETS_DIR)) {
    add(file, readFileSync(path.join(ASSETS_DIR, file), 'utf8'))
  }
  if (name !== undefined) add(ICON_FILE, initialIcon(name, accentColor?.light))
  if (accentColor !== undefined) add(ACCENT_FILE, accentCss(accentColor))
  if (logo !== undefined) add(logoFile(logo), Buffer.from(logo.base64, 'base64'))
  const byPath = new Map(Array.from(byFile.values(), (asset) => [asset.path, asset]))
  return {
    /** Path of a file; throws an Error for an unknown one. */
    pathOf(file: string): string {
      const asset = byFile.get(file)
      if (asset === undefined) {
        throw new Error(`There is no assets/${file}; npm run generate makes it`)
      }
      return asset.path
    },
    at: (address: string) => byPath.get(address),
    paths: [...byPath.keys()],
    /** Current path of a file for its path in another build; undefined if unknown. */
    successorOf(address: string): string | undefined {
      const [, stem = '', ext = ''] = BUILT_PATH.exec(address) ?? []
      return byFile.get(stem + ext)?.path
    },
  }
}

/** The icon for clients that request `/favicon.ico`. */
export function readFavicon(): Buffer {
  return readFileSync(path.join(PAGES_DIR, 'favicon.ico'))
}
