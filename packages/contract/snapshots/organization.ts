import {
  enumField,
  idField,
  keysOf,
  lineField,
  list,
  matching,
  named,
  record,
  sentenceField,
  urlField,
} from '../schemas/fields.ts'
import { LOCALES } from '../terms/locales.ts'
import type { SchemaType } from '../terms/schema-type.ts'
import { INTERESTS } from '../waitlist/registration-schema.ts'

/** Name of the resource with the organization's identity. It has no endpoint; the pages and feeds show it. */
export const ORGANIZATION_RESOURCE = 'site/organization'

const PIXELS = { type: 'integer', minimum: 1, maximum: 10_000 } as const
const ALT = lineField('What the logo shows, for people who cannot see it.', 'A wave under a star')
const colorField = (description: string, example: string) =>
  ({ type: 'string', pattern: '^#[0-9a-fA-F]{6}$', description, example }) as const

/** Media types of a logo. */
export const LOGO_TYPES = ['image/svg+xml', 'image/png'] as const

const CONTACT = record('How to reach the organization about this record.', {
  'name?': lineField('Name of the contact.', 'Press office'),
  email: {
    type: 'string',
    pattern: String.raw`^[A-Za-z0-9._%+-]{1,64}@([A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z-]{2,63}$`,
    maxLength: 254,
    description: 'Email address for the public.',
    example: 'contact@example.org',
  },
  'url?': urlField('Page with a form or more ways to get in touch.', 'https://example.org/contact'),
})

/** What an organization may leave out of the navigation, with the paths of its pages below a locale. */
export const OPTIONAL_PAGES = {
  'early-access': ['early-access', 'reference/early-access'],
  'api-keys': ['reference/keys'],
  wallet: ['wallet', 'reference/wallet'],
} as const

/** What the organization offers on the pages. The endpoints do not depend on it. */
const SITE = record('What the pages offer. A list that is missing means everything.', {
  'languages?': list(
    'Languages of the pages. The first is the default. The pages in other languages keep their addresses, but no link, sitemap or language negotiation leads to them.',
    enumField(LOCALES, 'One language.', 'en'),
    { minItems: 1, uniqueItems: true },
  ),
  'interests?': list(
    'Interests that the early-access form lists, in this order. The API accepts every interest of the contract.',
    enumField(INTERESTS, 'One interest.', 'api'),
    { minItems: 1, uniqueItems: true },
  ),
  'leaveOut?': list(
    'What the organization does not offer. Navigation, links and the sitemap leave out the pages about it; the pages keep their addresses, and the endpoints stay.',
    enumField(keysOf(OPTIONAL_PAGES), 'The waitlist, API keys, or the wallet.', 'api-keys'),
    { uniqueItems: true },
  ),
  'commands?': {
    type: 'string',
    pattern: '^(@[a-z0-9-][a-z0-9._-]*/)?[a-z0-9-][a-z0-9._-]*$',
    maxLength: 214,
    description:
      'The npm package with the verifying commands, once it is published. The pages then show its commands and the samples of the client libraries; without it they show what every visitor has: the check in the browser, curl and openssl.',
    example: '@public-api/cli',
  },
})

const IDENTITY = {
  name: lineField(
    'Name of the organization, as every page and feed shows it.',
    'Meridian Tide Observatory',
  ),
  url: urlField('Home page of the organization.', 'https://example.org'),
  description: sentenceField(
    'What the organization is, in one sentence.',
    'An observatory that measures the tides of the northern coast.',
  ),
} as const

const REST = {
  'site?': SITE,
  contact: CONTACT,
  links: list(
    'Links shown on every page, in this order.',
    record('One link.', {
      id: idField('Stable identifier of the link.', 'imprint'),
      title: lineField('Text of the link.', 'Imprint'),
      url: urlField('URL of the link.', 'https://example.org/imprint'),
    }),
    { maxItems: 8 },
  ),
  privacy: record('What the privacy page says about early-access registrations.', {
    controller: lineField(
      'Legal name of the controller: who decides what happens with the data.',
      'Meridian Tide Observatory e. V.',
    ),
    address: sentenceField(
      'Postal address of the controller.',
      '1 Harbor Road, 00000 Example Town',
    ),
    contact: { ...CONTACT, description: 'How to reach the controller about personal data.' },
    retention: sentenceField(
      'How long registrations are kept, and what happens then.',
      'Until early access opens, and at most 12 months. Then they are erased.',
    ),
  }),
} as const

/** Schema of `content/organization.yaml`. */
export const ORGANIZATION_CONTENT_SCHEMA = named(
  'Organization',
  'Whose record this is. Every page, feed and title names the organization.',
  {
    ...IDENTITY,
    'logo?': record('The logo. Without it the pages show the name alone.', {
      file: matching(
        String.raw`^[A-Za-z0-9][A-Za-z0-9._-]{0,60}\.(svg|png)$`,
        'File in the content folder: an SVG of up to 64 KiB, or a PNG of up to 128 KiB.',
        'logo.svg',
      ),
      alt: ALT,
    }),
    'accentColor?': colorField(
      'The accent color on the light background, as #rrggbb. Its contrast there must be at least 4.5:1. The color for the dark scheme is derived from it.',
      '#0a5a70',
    ),
    ...REST,
  },
)

/** `data` of `site/organization`, the published form. */
export const ORGANIZATION_SCHEMA = named('Organization', ORGANIZATION_CONTENT_SCHEMA.description, {
  ...IDENTITY,
  'logo?': record('The logo: a sanitized SVG, or a PNG without metadata.', {
    mediaType: enumField(LOGO_TYPES, 'Media type of the bytes.', 'image/svg+xml'),
    base64: {
      type: 'string',
      minLength: 4,
      maxLength: 180_000,
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
      description: 'The bytes of the image.',
      example: 'PHN2Zy8+',
    },
    width: { ...PIXELS, description: 'Width, in CSS pixels.', example: 120 },
    height: { ...PIXELS, description: 'Height, in CSS pixels.', example: 40 },
    alt: ALT,
  }),
  'accentColor?': record('The accent color in each color scheme.', {
    light: colorField('Accent on the light background, as #rrggbb.', '#0a5a70'),
    dark: colorField('Accent on the dark background, as #rrggbb.', '#86c9da'),
  }),
  ...REST,
})

/** The content of `content/organization.yaml`. */
export type OrganizationContent = SchemaType<typeof ORGANIZATION_CONTENT_SCHEMA>

/** The organization's identity as it is published. */
export type Organization = SchemaType<typeof ORGANIZATION_SCHEMA>
