import {
  urlField,
  colorField,
  emailField,
  idField,
  textField,
  enumField,
} from './snapshot-fields.ts'
import type { JsonSchema, SchemaType } from './schema-type.ts'

/** Name of the resource with the organization's identity. It has no endpoint; the pages and feeds show it. */
export const ORGANIZATION_RESOURCE = 'site/organization'

/** Media types of a logo. */
export const LOGO_TYPES = ['image/svg+xml', 'image/png'] as const

const CONTACT = {
  type: 'object',
  description: 'How to reach the organization about this record.',
  required: ['email'],
  properties: {
    name: textField('Who answers.', 'Press office', 'line'),
    email: emailField('Email address for the public.', 'contact@example.org'),
    url: urlField('Page with a form or more ways to get in touch.', 'https://example.org/contact'),
  },
} as const satisfies JsonSchema

const IDENTITY = {
  name: textField(
    'Name of the organization, as every page and feed shows it.',
    'Meridian Tide Observatory',
    'line',
  ),
  url: urlField('Home page of the organization.', 'https://example.org'),
  description: textField(
    'What the organization is, in one sentence.',
    'An observatory that measures the tides of the northern coast.',
    'sentence',
  ),
} as const

const REST = {
  contact: CONTACT,
  links: {
    type: 'array',
    description: 'Links shown on every page, in this order.',
    maxItems: 8,
    items: {
      type: 'object',
      description: 'One link.',
      required: ['id', 'title', 'url'],
      properties: {
        id: idField('Stable identifier of the link.', 'imprint'),
        title: textField('Text of the link.', 'Imprint', 'line'),
        url: urlField('Where it leads.', 'https://example.org/imprint'),
      },
    },
  },
  privacy: {
    type: 'object',
    description: 'What the privacy page says about early-access registrations.',
    required: ['controller', 'address', 'contact', 'retention'],
    properties: {
      controller: textField(
        'Legal name of the controller: who decides what happens with the data.',
        'Meridian Tide Observatory e. V.',
        'line',
      ),
      address: textField(
        'Postal address of the controller.',
        '1 Harbor Road, 00000 Example Town',
        'sentence',
      ),
      contact: { ...CONTACT, description: 'How to reach the controller about personal data.' },
      retention: textField(
        'How long registrations are kept, and what happens then.',
        'Until early access opens, and at most 12 months. Then they are erased.',
        'sentence',
      ),
    },
  },
} as const

const REQUIRED = ['name', 'url', 'description', 'contact', 'links', 'privacy'] as const

/** Schema of `content/organization.yaml`. */
export const ORGANIZATION_CONTENT_SCHEMA = {
  type: 'object',
  title: 'Organization',
  description: 'Whose record this is. Every page, feed and title names the organization.',
  required: REQUIRED,
  properties: {
    ...IDENTITY,
    logo: {
      type: 'object',
      description: 'The logo. Without it the pages show the name alone.',
      required: ['file', 'alt'],
      properties: {
        file: {
          type: 'string',
          pattern: String.raw`^[A-Za-z0-9][A-Za-z0-9._-]{0,60}\.(svg|png)$`,
          description:
            'File in the content folder: an SVG of up to 64 KiB, or a PNG of up to 128 KiB.',
          example: 'logo.svg',
        },
        alt: textField(
          'What the logo shows, for people who cannot see it.',
          'A wave under a star',
          'line',
        ),
      },
    },
    accentColor: colorField(
      'The accent color on the light background, as #rrggbb. Its contrast there must be at least 4.5:1. The color for the dark scheme is derived from it.',
      '#0a5a70',
    ),
    ...REST,
  },
} as const satisfies JsonSchema

/** `data` of `site/organization`, the published form. */
export const ORGANIZATION_SCHEMA = {
  type: 'object',
  title: 'Organization',
  description: ORGANIZATION_CONTENT_SCHEMA.description,
  required: REQUIRED,
  properties: {
    ...IDENTITY,
    logo: {
      type: 'object',
      description: 'The logo: a sanitized SVG, or a PNG without metadata.',
      required: ['mediaType', 'base64', 'width', 'height', 'alt'],
      properties: {
        mediaType: enumField(LOGO_TYPES, 'Media type of the bytes.', 'image/svg+xml'),
        base64: {
          type: 'string',
          minLength: 4,
          maxLength: 180_000,
          pattern: '^[A-Za-z0-9+/]+={0,2}$',
          description: 'The bytes of the image.',
          example: 'PHN2Zy8+',
        },
        width: {
          type: 'integer',
          minimum: 1,
          maximum: 10_000,
          description: 'Width, in CSS pixels.',
          example: 120,
        },
        height: {
          type: 'integer',
          minimum: 1,
          maximum: 10_000,
          description: 'Height, in CSS pixels.',
          example: 40,
        },
        alt: textField(
          'What the logo shows, for people who cannot see it.',
          'A wave under a star',
          'line',
        ),
      },
    },
    accentColor: {
      type: 'object',
      description: 'The accent color in each color scheme.',
      required: ['light', 'dark'],
      properties: {
        light: colorField('Accent on the light background, as #rrggbb.', '#0a5a70'),
        dark: colorField('Accent on the dark background, as #rrggbb.', '#86c9da'),
      },
    },
    ...REST,
  },
} as const satisfies JsonSchema

/** The content of `content/organization.yaml`. */
export type OrganizationContent = SchemaType<typeof ORGANIZATION_CONTENT_SCHEMA>

/** The organization's identity as it is published. */
export type Organization = SchemaType<typeof ORGANIZATION_SCHEMA>
