import { LOCALES } from '@public-api/contract/terms/locales'

/**
 * The file of a path in a copy: `/en/status` is `en/status/index.html`, which every static host serves. A path with an
 * extension, and everything below `.well-known` and `log`, is itself.
 */
export function fileOf(path: string): string {
  const isFile = /^\/(?:\.well-known|log)\/|\.[a-z0-9]+$/i.test(path)
  const below = path.slice(1)
  if (isFile) return below
  return below === '' ? 'index.html' : `${below}/index.html`
}

const LOCALE = `(?:${LOCALES.join('|')})`

/** What a copy leaves to the service: the API, offline proofs and comparisons, which change with every version. */
const MISSING = new RegExp(String.raw`^/(?:api(?:/|$)|log/proof/|${LOCALE}/history/since/)`)

/** Whether a copy does not have a path that the service has. */
export function isMissing(path: string): boolean {
  return MISSING.test(path)
}
