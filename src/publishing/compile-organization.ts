import {
  LOGO_TYPES,
  type Organization,
  type OrganizationContent,
} from '../contract/organization.ts'
import { checkAccent, deriveAccent } from './accent-color.ts'
import type { ReferencedFile } from './content-folder.ts'
import { addMistake, type ContentMistake, startOf } from './content-mistake.ts'
import { cleanPng } from './logo-png.ts'
import { sanitizeSvg } from './logo-svg.ts'
import type { ContentSource } from './yaml-source.ts'

const LOGO_KINDS = {
  svg: { mediaType: LOGO_TYPES[0], maxBytes: 65_536, clean: sanitizeSvg },
  png: { mediaType: LOGO_TYPES[1], maxBytes: 131_072, clean: cleanPng },
} as const

/** The published logo. Its mistakes are added to `mistakes`; then it is undefined. */
function compileLogo(
  { file, bytes }: ReferencedFile,
  alt: string,
  mistakes: ContentMistake[],
): Organization['logo'] {
  const { mediaType, maxBytes, clean } = LOGO_KINDS[file.endsWith('.png') ? 'png' : 'svg']
  if (bytes.length > maxBytes) {
    const expected = `a logo of at most ${maxBytes} bytes`
    return addMistake(mistakes, startOf(file), [], `${bytes.length} bytes`, expected)
  }
  const image = clean(file, bytes, mistakes)
  if (image === undefined) return undefined
  const { width, height } = image
  return { mediaType, base64: image.bytes.toString('base64'), width, height, alt }
}

/**
 * Documentation domains (RFC 2606), which the content of `svc init` uses. Published, they would stay in the history.
 */
const PLACEHOLDER_DOMAIN = /[@/.]example\.(?:com|net|org)(?![^/?#])/i

/** Creates the published identity from the operator's file; reports mistakes and then returns undefined. */
export function compileOrganization(
  { value, texts, report }: ContentSource,
  /** The file that the logo names, if it could be read. */
  logoFile: ReferencedFile | undefined,
  mistakes: ContentMistake[],
): Organization | undefined {
  const { logo: logoContent, accentColor, ...rest } = value as unknown as OrganizationContent
  const before = mistakes.length
  for (const { path, value: text } of texts) {
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
