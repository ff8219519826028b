import {
  LOGO_TYPES,
  type Organization,
  type OrganizationContent,
} from '@public-api/contract/snapshots/organization'
import { accentFault, deriveAccent } from '../logo/accent-color.ts'
import { cleanPng, type LogoImage } from '../logo/logo-png.ts'
import { sanitizeSvg } from '../logo/logo-svg.ts'
import type { ReferencedFile } from '../rules/content-folder.ts'
import { type Checked, fault, type Faults, mistakeOf } from '../rules/content-mistake.ts'
import type { ContentSource } from '../rules/yaml-source.ts'

const LOGO_KINDS = {
  svg: { mediaType: LOGO_TYPES[0], maxBytes: 65_536, clean: sanitizeSvg },
  png: { mediaType: LOGO_TYPES[1], maxBytes: 131_072, clean: cleanPng },
} as const

const kindOf = (file: string) => LOGO_KINDS[file.endsWith('.png') ? 'png' : 'svg']

/** Checks the file of a logo and removes from it what is not drawn. */
export function cleanLogo({ file, bytes }: ReferencedFile): Checked<LogoImage> {
  const { maxBytes, clean } = kindOf(file)
  if (bytes.length <= maxBytes) return clean(file, bytes)
  const expected = `a logo of at most ${maxBytes} bytes`
  return { mistakes: [mistakeOf(file, `${bytes.length} bytes`, expected)] }
}

/**
 * Documentation domains (RFC 2606), which the content of `svc init` uses. Published, they would stay in the history.
 */
const PLACEHOLDER_DOMAIN = /[@/.]example\.(?:com|net|org)(?![^/?#])/i

/** Checks the texts of the operator's file beyond its schema. */
export function* checkOrganization({ texts }: Pick<ContentSource, 'texts'>): Faults {
  for (const { path, value } of texts) {
    if (PLACEHOLDER_DOMAIN.test(value)) {
      yield fault(path, `the placeholder ${JSON.stringify(value)}`, 'the organization’s own')
    }
    const isColor = path.join() === 'accentColor' && /^#[0-9a-f]{6}$/i.test(value)
    const found = isColor ? accentFault(value, path) : undefined
    if (found !== undefined) yield found
  }
}

/** Creates the published identity from the operator's file and its logo. Both were checked. */
export function compileOrganization(
  { logo, accentColor, ...rest }: OrganizationContent,
  image: LogoImage | undefined,
): Organization {
  const { bytes, width = 0, height = 0 } = image ?? {}
  return {
    ...rest,
    ...(logo === undefined || bytes === undefined
      ? {}
      : {
          logo: {
            mediaType: kindOf(logo.file).mediaType,
            base64: bytes.toString('base64'),
            width,
            height,
            alt: logo.alt,
          },
        }),
    ...(accentColor === undefined ? {} : { accentColor: deriveAccent(accentColor) }),
  }
}
