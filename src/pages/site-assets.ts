import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { sha256Base64url } from '../crypto/sha256.ts'

const PAGES_DIR = fileURLToPath(new URL('.', import.meta.url))
const ASSETS_DIR = fileURLToPath(new URL('../../assets', import.meta.url))

/** Files that are not made but written. */
const OWN_FILES = ['style.css', 'favicon.svg']

const MEDIA_TYPES: { readonly [extension: string]: string } = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}

const DIGEST_CHARACTERS = 12
/** The address of a file of any build, with its name and its ending. */
const BUILT_PATH = new RegExp(String.raw`^/assets/([\w-]+)\.[\w-]{${DIGEST_CHARACTERS}}(\.\w+)$`)

/** A style sheet, script or picture that the pages name by an address with its digest. */
export interface SiteAsset {
  readonly path: string
  readonly contentType: string
  readonly text: string
}

/** What the pages load beside their HTML. */
export interface SiteAssets {
  /** Address of a file; throws an Error for one that is not there. */
  pathOf(file: string): string
  /** The file at an address, or undefined. */
  at(path: string): SiteAsset | undefined
  /** Where a file stands now that another build of it had at this address, or undefined. */
  successorOf(path: string): string | undefined
}

function readAsset(dir: string, file: string): SiteAsset {
  const { name, ext } = path.parse(file)
  const text = readFileSync(path.join(dir, file), 'utf8')
  const digest = sha256Base64url(text).slice(0, DIGEST_CHARACTERS)
  const contentType = MEDIA_TYPES[ext]
  if (contentType === undefined) {
    const known = Object.keys(MEDIA_TYPES).join(', ')
    throw new Error(`${path.join(dir, file)} has no media type here; expected one of ${known}`)
  }
  return { path: `/assets/${name}.${digest}${ext}`, contentType, text }
}

/**
 * Reads the style sheet and the icon beside this file and all of `assets/`, which `npm run generate` makes from
 * src/browser. Their addresses hold a digest of the content, so they may be kept for ever.
 */
export function readSiteAssets(): SiteAssets {
  const byFile = new Map(OWN_FILES.map((file) => [file, readAsset(PAGES_DIR, file)]))
  for (const file of readdirSync(ASSETS_DIR)) byFile.set(file, readAsset(ASSETS_DIR, file))
  const byPath = new Map(Array.from(byFile.values(), (asset) => [asset.path, asset]))
  return {
    pathOf(file) {
      const asset = byFile.get(file)
      if (asset === undefined) {
        throw new Error(`There is no assets/${file}; npm run generate makes it`)
      }
      return asset.path
    },
    at: (address) => byPath.get(address),
    successorOf(address) {
      const [, name = '', ext = ''] = BUILT_PATH.exec(address) ?? []
      return byFile.get(name + ext)?.path
    },
  }
}

/** The icon for clients that look at `/favicon.ico`. */
export function readFavicon(): Buffer {
  return readFileSync(path.join(PAGES_DIR, 'favicon.ico'))
}
