import {
  LOGO_TYPES,
  type Organization,
  type OrganizationContent,
} from '../contract/organization.ts'
import { checkAccent, deriveAccent } from './accent-color.ts'
import type { ReferencedFile } from './content-folder.ts'
import { addMistake, type ContentMistake, type Report, startOf } from './content-mistake.ts'
import { cleanPng } from './logo-png.ts'
import { sanitizeSvg } from './logo-svg.ts'

type Logo = NonNullable<Organization['logo']>

const MAX_LOGO_BYTES = { svg: 65_536, png: 131_072 } as const
const MEDIA_TYPES = { svg: LOGO_TYPES[0], png: LOGO_TYPES[1] } as const

/** The published logo. Its mistakes are added to `mistakes`; then it is undefined. */
function compileLogo(
  { file, bytes }: ReferencedFile,
  alt: string,
  mistakes: ContentMistake[],
): Logo | undefined {
  const kind = file.endsWith('.png') ? 'png' : 'svg'
  if (bytes.length > MAX_LOGO_BYTES[kind]) {
    const expected = `a logo of at most ${MAX_LOGO_BYTES[kind]} bytes`
    addMistake(mistakes, startOf(file), [], `${bytes.length} bytes`, expected)
    return undefined
  }
  const image =
    kind === 'png'
      ? cleanPng(file, bytes, mistakes)
      : sanitizeSvg(file, bytes.toString('utf8'), mistakes)
  if (image === undefined) return undefined
  const { width, height } = image
  return {
    mediaType: MEDIA_TYPES[kind],
    base64: image.bytes.toString('base64'),
    width,
    height,
    alt,
  }
}

/**
 * Documentation domains (RFC 2606), which the content of `svc init` uses. Published, they would stay in the history.
 */
const PLACEHOLDER_DOMAIN = /[@/.]example\.(?:com|net|org)(?![^/?#])/i

/** Creates the published identity from the operator's file; reports mistakes and then returns undefined. */
export function compileOrganization(
  { logo: logoContent, accentColor, ...rest }: OrganizationContent,
  /** The file that the logo names, if it could be read. */
  logoFile: ReferencedFile | undefined,
  report: Report,
  mistakes: ContentMistake[],
): Organization | undefined {
  const { contact, privacy } = rest
  const addresses: readonly (readonly [path: readonly string[], text: string | undefined])[] = [
    [['url'], rest.url],
    [['contact', 'email'], contact.email],
    [['contact', 'url'], contact.url],
    [['privacy', 'contact', 'email'], privacy.contact.email],
    [['privacy', 'contact', 'url'], privacy.contact.url],
  ]
  const before = mistakes.length
  for (const [path, text = ''] of addresses) {
    if (!PLACEHOLDER_DOMAIN.test(text)) continue
    report(path, `the placeholder ${JSON.stringify(text)}`, 'the organization’s own')
  }
  if (accentColor !== undefined) checkAccent(accentColor, ['accentColor'], report)
  const logo = logoContent && logoFile && compileLogo(logoFile, logoContent.alt, mistakes)
  if (mistakes.length > before || (logoContent !== undefined && logo === undefined))
    return undefined
  return {
    ...rest,
    ...(logo === undefined ? {} : { logo }),
    ...(accentColor === undefined ? {} : { accentColor: deriveAccent(accentColor) }),
  }
}
