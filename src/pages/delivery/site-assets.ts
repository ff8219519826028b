import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Organization } from '@public-api/contract/snapshots/organization'
import { sha256Base64url } from '../../crypto/sha256.ts'

const PAGES_DIR = fileURLToPath(new URL('..', import.meta.url))
const ASSETS_DIR = fileURLToPath(new URL('../../../assets', import.meta.url))

/** Files that are sources and not built. */
const OWN_FILES = ['style.css', 'favicon.svg']

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
  return `:root{--accent:${light}}@media screen and (prefers-color-scheme:dark){:root{--accent:${dark}}}\n`
}

export function logoFile({ mediaType }: NonNullable<Organization['logo']>): string {
  return mediaType === 'image/png' ? 'logo.png' : 'logo.svg'
}

/**
 * Reads the style sheet and the icon next to this file and all of `assets/`, which `npm run generate` builds from
 * src/browser; the organization adds its accent color and logo. Paths contain a digest of the content, so responses can be
 * cached forever.
 */
export function readSiteAssets({ accentColor, logo }: Partial<Organization> = {}) {
  const byFile = new Map<string, ReturnType<typeof assetOf>>()

  function assetOf(file: string, content: string | Buffer) {
    const { name, ext } = path.parse(file)
    const digest = sha256Base64url(content.toString('base64')).slice(0, DIGEST_CHARACTERS)
    const contentType = MEDIA_TYPES[ext]
    if (contentType === undefined) {
      const known = Object.keys(MEDIA_TYPES).join(', ')
      throw new Error(`${file} has no media type here; expected one of ${known}`)
    }
    return { path: `/assets/${name}.${digest}${ext}`, contentType, content }
  }
  const add = (file: string, content: string | Buffer) => byFile.set(file, assetOf(file, content))

  for (const file of OWN_FILES) add(file, readFileSync(path.join(PAGES_DIR, file), 'utf8'))
  for (const file of readdirSync(ASSETS_DIR)) {
    add(file, readFileSync(path.join(ASSETS_DIR, file), 'utf8'))
  }
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
    /** Current path of a file for its path in another build; undefined if unknown. */
    successorOf(address: string): string | undefined {
      const [, name = '', ext = ''] = BUILT_PATH.exec(address) ?? []
      return byFile.get(name + ext)?.path
    },
  }
}

/** The icon for clients that request `/favicon.ico`. */
export function readFavicon(): Buffer {
  return readFileSync(path.join(PAGES_DIR, 'favicon.ico'))
}
