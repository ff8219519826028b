import {
  LOGO_TYPES,
  type Organization,
  type OrganizationContent,
} from '../contract/organization.ts'
import { accentFault, deriveAccent } from './accent-color.ts'
import type { ContentMistake, Report } from './content-mistake.ts'
import { cleanPng } from './logo-png.ts'
import { sanitizeSvg } from './logo-svg.ts'

/** A file that content refers to. */
export interface ReferencedFile {
  readonly file: string
  readonly bytes: Buffer
}

type Logo = NonNullable<Organization['logo']>

const MAX_LOGO_BYTES = { svg: 65_536, png: 131_072 } as const

function compileLogo(
  { file, bytes }: ReferencedFile,
  alt: string,
  addMistake: (mistake: ContentMistake) => void,
): Logo | undefined {
  const kind = file.endsWith('.png') ? 'png' : 'svg'
  const whole = { file, line: 1, column: 1, field: '' }
  if (bytes.length > MAX_LOGO_BYTES[kind]) {
    addMistake({
      ...whole,
      found: `${bytes.length} bytes`,
      expected: `a logo of at most ${MAX_LOGO_BYTES[kind]} bytes`,
    })
    return undefined
  }
  if (kind === 'png') {
    const png = cleanPng(bytes)
    if ('found' in png) {
      addMistake({ ...whole, ...png })
      return undefined
    }
    const { width, height } = png
    return { mediaType: LOGO_TYPES[1], base64: png.bytes.toString('base64'), width, height, alt }
  }
  const svg = sanitizeSvg(bytes.toString('utf8'))
  if ('mistakes' in svg) {
    for (const mistake of svg.mistakes) addMistake({ ...whole, ...mistake })
    return undefined
  }
  const base64 = Buffer.from(svg.svg, 'utf8').toString('base64')
  return { mediaType: LOGO_TYPES[0], base64, width: svg.width, height: svg.height, alt }
}

/**
 * Documentation domains (RFC 2606), which the content of `svc init` uses. Published, they would stay in the history.
 */
const PLACEHOLDER_DOMAIN = /[@/.]example\.(?:com|net|org)(?![^/?#])/i

/** Reports addresses of the organization that `svc init` wrote as placeholders. Returns whether it found none. */
function checkReplaced({ url, contact, privacy }: OrganizationContent, report: Report): boolean {
  const texts: readonly (readonly [path: readonly string[], text: string | undefined])[] = [
    [['url'], url],
    [['contact', 'email'], contact.email],
    [['contact', 'url'], contact.url],
    [['privacy', 'contact', 'email'], privacy.contact.email],
    [['privacy', 'contact', 'url'], privacy.contact.url],
  ]
  const placeholders = texts.filter(([, text]) => PLACEHOLDER_DOMAIN.test(text ?? ''))
  for (const [path, text] of placeholders) {
    report(path, `the placeholder ${JSON.stringify(text)}`, 'the organization’s own')
  }
  return placeholders.length === 0
}

/** Creates the published identity from the operator's file; reports mistakes and then returns undefined. */
export function compileOrganization(
  content: OrganizationContent,
  readFile: (name: string) => ReferencedFile | undefined,
  report: Report,
  addMistake: (mistake: ContentMistake) => void,
): Organization | undefined {
  const { logo: logoContent, accentColor, ...rest } = content
  let isValid = checkReplaced(content, report)
  if (accentColor !== undefined) {
    const fault = accentFault(accentColor)
    if (fault !== undefined) {
      report(['accentColor'], fault.found, fault.expected)
      isValid = false
    }
  }
  const file = logoContent === undefined ? undefined : readFile(logoContent.file)
  const logo =
    logoContent === undefined || file === undefined
      ? undefined
      : compileLogo(file, logoContent.alt, addMistake)
  if (!isValid || (logoContent !== undefined && logo === undefined)) return undefined
  return {
    ...rest,
    ...(logo === undefined ? {} : { logo }),
    ...(accentColor === undefined ? {} : { accentColor: deriveAccent(accentColor) }),
  }
}
