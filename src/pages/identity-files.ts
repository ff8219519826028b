import type { Organization } from '../contract/organization.ts'
import { sha256Base64url } from '../crypto/sha256.ts'

const DIGEST_CHARACTERS = 12

/** A file whose path contains a digest of its content. */
function fileOf(name: string, extension: string, contentType: string, content: string | Buffer) {
  const digest = sha256Base64url(content.toString('base64')).slice(0, DIGEST_CHARACTERS)
  return { path: `/identity/${name}.${digest}.${extension}`, contentType, content }
}

/** CSP forbids inline styles, so the accent color is a style sheet of its own. */
function accentCss({ light, dark }: NonNullable<Organization['accentColor']>): string {
  return `:root{--accent:${light}}@media screen and (prefers-color-scheme:dark){:root{--accent:${dark}}}\n`
}

/** Creates the style sheet with the accent color of an organization, and its logo; a demonstration has none. */
export function createIdentityFiles(organization: Organization | undefined) {
  const { accentColor, logo } = organization ?? {}
  const extension = logo?.mediaType === 'image/png' ? 'png' : 'svg'
  return {
    accent:
      accentColor && fileOf('accent', 'css', 'text/css; charset=utf-8', accentCss(accentColor)),
    logo: logo && fileOf('logo', extension, logo.mediaType, Buffer.from(logo.base64, 'base64')),
  }
}
