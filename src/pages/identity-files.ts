import type { Organization } from '../contract/organization.ts'
import { sha256Base64url } from '../crypto/sha256.ts'

/** A file made from the organization's identity. Its path contains a digest of its content. */
export interface IdentityFile {
  readonly path: string
  readonly contentType: string
  readonly content: string | Buffer
}

/** Files of the organization: the style sheet with its accent color, and its logo. */
export interface IdentityFiles {
  readonly accent: IdentityFile | undefined
  readonly logo: IdentityFile | undefined
}

const DIGEST_CHARACTERS = 12

function fileOf(
  name: string,
  extension: string,
  contentType: string,
  content: string | Buffer,
): IdentityFile {
  const digest = sha256Base64url(content.toString('base64')).slice(0, DIGEST_CHARACTERS)
  return { path: `/identity/${name}.${digest}.${extension}`, contentType, content }
}

/** CSP forbids inline styles, so the accent color is a style sheet of its own. */
function accentCss({ light, dark }: NonNullable<Organization['accentColor']>): string {
  return `:root{--accent:${light}}@media screen and (prefers-color-scheme:dark){:root{--accent:${dark}}}\n`
}

/** Creates the files of an organization; a demonstration has none. */
export function createIdentityFiles(organization: Organization | undefined): IdentityFiles {
  const { accentColor, logo } = organization ?? {}
  const extension = logo?.mediaType === 'image/png' ? 'png' : 'svg'
  return {
    accent:
      accentColor && fileOf('accent', 'css', 'text/css; charset=utf-8', accentCss(accentColor)),
    logo: logo && fileOf('logo', extension, logo.mediaType, Buffer.from(logo.base64, 'base64')),
  }
}
