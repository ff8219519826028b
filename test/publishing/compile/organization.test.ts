import assert from 'node:assert/strict'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import {
  ORGANIZATION_RESOURCE,
  ORGANIZATION_SCHEMA,
  type Organization,
} from '@public-api/contract/snapshots/organization'
import { compileContent } from '../../../src/publishing/compile/compile-content.ts'
import { ACCENT_SURFACES, TEXT_COLOR } from '../../../src/publishing/logo/accent-color.ts'
import { sanitizeSvg } from '../../../src/publishing/logo/logo-svg.ts'
import { formatMistake } from '../../../src/publishing/rules/content-mistake.ts'
import {
  editContent,
  FIXTURE_NOW_MS,
  makeContent,
  ORGANIZATION as WITHOUT_LINKS,
  writeContent,
} from '../content-fixture.ts'

const ORGANIZATION = WITHOUT_LINKS.replace(
  'links: []',
  'links:\n  - { id: imprint, title: Imprint, url: https://tides.example/imprint }',
)

const SVG = (inside: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">${inside}</svg>`

async function compile(
  t: TestContext,
  more: string,
  files: { readonly [name: string]: string | Buffer } = {},
): Promise<{ mistakes: readonly string[]; organization: Organization | undefined }> {
  const folder = makeContent(t)
  writeContent(folder, 'organization.yaml', `${ORGANIZATION}${more}`)
  for (const [name, content] of Object.entries(files))
    writeFileSync(path.join(folder, name), content)
  const { resources, mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  const text = resources.get(ORGANIZATION_RESOURCE)?.text
  return {
    mistakes: mistakes.map((each) => formatMistake(each).slice(folder.length + 1)),
    organization: text === undefined ? undefined : (JSON.parse(text) as Organization),
  }
}

const LOGO = 'logo: { file: logo.svg, alt: A wave }\n'

test('publishes the identity with its public email addresses', async (t) => {
  const { mistakes, organization } = await compile(t, `accentColor: '#0A5A70'\n${LOGO}`, {
    'logo.svg': SVG('<path d="M0 0h40v20z" fill="#0a5a70"/>'),
  })
  assert.deepEqual(mistakes, [])
  assert.ok(organization !== undefined)
  assert.equal(schemaMistake(ORGANIZATION_SCHEMA, organization), undefined)
  assert.equal(organization.accentColor?.light, '#0a5a70')
  assert.match(organization.accentColor.dark, /^#[0-9a-f]{6}$/)
  const { logo } = organization
  assert.deepEqual([logo?.mediaType, logo?.width, logo?.height], ['image/svg+xml', 40, 20])
})

test('a version without an organization omits the resource', async (t) => {
  const { resources } = await compileContent(makeContent(t), FIXTURE_NOW_MS)
  assert.equal(resources.has(ORGANIZATION_RESOURCE), false)
})

test('an email address in any other field is still refused', async (t) => {
  const { mistakes } = await compile(t, '')
  assert.deepEqual(mistakes, [])
  const folder = makeContent(t)
  writeContent(
    folder,
    'organization.yaml',
    ORGANIZATION.replace('At most 12 months.', 'Ask someone@example.org.'),
  )
  const found = await compileContent(folder, FIXTURE_NOW_MS)
  assert.deepEqual(
    found.mistakes.map(({ line, rule }) => ({ line, rule })),
    [{ line: 12, rule: 'email-address' }],
  )
})

test('refuses the placeholders of a new content folder in every field', async (t) => {
  const folder = makeContent(t)
  const edited = ORGANIZATION.replace('tides.example/imprint', 'example.org/imprint')
  assert.notEqual(edited, ORGANIZATION)
  writeContent(folder, 'organization.yaml', edited)
  const { mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  assert.deepEqual(
    mistakes.map(({ line, field, found }) => ({ line, field, found })),
    [{ line: 7, field: 'links[0].url', found: 'the placeholder "https://example.org/imprint"' }],
  )
})

test('refuses an accent with low contrast or the color of text, with the contrast', async (t) => {
  assert.match(
    (await compile(t, "accentColor: '#f0c000'\n")).mistakes.join('\n'),
    /^organization\.yaml:13:14: accentColor: found #f0c000, with a contrast of 1\.\d\d:1 on the light background #f2eee6, expected a darker color, with at least 4\.5:1$/,
  )
  assert.match(
    (await compile(t, "accentColor: '#222222'\n")).mistakes.join('\n'),
    /accentColor: found #222222, which looks like the text \(#24211c\), expected a color that differs/,
  )
  for (const color of ['#000000', '#0a0a14', '#111111']) {
    const { mistakes } = await compile(t, `accentColor: '${color}'\n`)
    assert.match(mistakes.join('\n'), /which looks like the text/, color)
  }
  assert.deepEqual((await compile(t, "accentColor: '#00004d'\n")).mistakes, [])
  assert.match(
    (await compile(t, 'accentColor: teal\n')).mistakes.join('\n'),
    /accentColor: found "teal", expected text of the form/,
  )
})

test('the dark accent is readable on the dark background for any hue', async (t) => {
  for (const color of [
    '#0a5a70',
    '#7a0019',
    '#0000ff',
    '#5b2c83',
    '#3b5d00',
    '#804000',
    '#555555',
  ]) {
    const { organization, mistakes } = await compile(t, `accentColor: '${color}'\n`)
    assert.deepEqual(mistakes, [])
    const dark = organization?.accentColor?.dark ?? ''
    assert.ok(contrastRatio(dark, ACCENT_SURFACES.dark) >= 4.5, `${color} became ${dark}`)
  }
})

/** WCAG 2.2 contrast, written again as the standard has it. */
function contrastRatio(a: string, b: string): number {
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [high = 0, low = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x)
  return (high + 0.05) / (low + 0.05)
}

test('measures an accent on the surfaces of the style sheet', () => {
  const css = readFileSync(new URL('../../../src/pages/style.css', import.meta.url), 'utf8')
  /** The light and the dark color of a property. */
  const values = (name: string): readonly string[] =>
    new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\);`).exec(css)?.slice(1) ??
    []
  assert.deepEqual(values('shade'), [ACCENT_SURFACES.light, ACCENT_SURFACES.dark])
  assert.equal(values('ink')[0], TEXT_COLOR)
})

test('a missing, linked or unused logo is named', async (t) => {
  assert.match(
    (await compile(t, LOGO)).mistakes.join('\n'),
    /^organization\.yaml:13:15: logo\.file: found "logo\.svg", which is not in the content folder, expected the name of a file there$/,
  )
  assert.deepEqual((await compile(t, '', { 'logo.svg': SVG('') })).mistakes, [
    'logo.svg:1:1: found an unused file, expected a reference to it or no file',
  ])
  const folder = makeContent(t)
  writeContent(folder, 'organization.yaml', `${ORGANIZATION}${LOGO}`)
  symlinkSync('/etc/hostname', path.join(folder, 'logo.svg'))
  const { mistakes, resources } = await compileContent(folder, FIXTURE_NOW_MS)
  assert.equal(resources.size, 0)
  assert.match(
    mistakes.map(formatMistake).join('\n'),
    /logo\.svg:1:1: found a link or a special file/,
  )
})

test('a contact without an email address is refused', async (t) => {
  const folder = makeContent(t)
  writeContent(
    folder,
    'organization.yaml',
    ORGANIZATION.replace('  email: contact@tides.example', '  name: Desk'),
  )
  const { mistakes } = await compileContent(folder, FIXTURE_NOW_MS)
  assert.match(
    mistakes.map(formatMistake).join('\n'),
    /contact\.email: found nothing, expected text/,
  )
})

test('publishes what the organization offers on its pages, and names a wrong choice', async (t) => {
  const site = 'site: { languages: [th, en], interests: [api], leaveOut: [early-access] }\n'
  const { mistakes, organization } = await compile(t, site)
  assert.deepEqual(mistakes, [])
  assert.deepEqual(organization?.site, {
    languages: ['th', 'en'],
    interests: ['api'],
    leaveOut: ['early-access'],
  })
  for (const [wrong, found] of [
    ['languages: []', /site\.languages: found an empty list, expected a list of at least 1/],
    ['languages: [de]', /13:21: site\.languages\[0\]: found "de", expected .*en, th.*zh-CN/],
    ['languages: [th, th]', /site\.languages/],
    ['interests: [apis]', /site\.interests\[0\]: found "apis", .*did you mean api\?/],
    ['leaveOut: [status]', /site\.leaveOut\[0\]: found "status", expected .*early-access/],
  ] as const) {
    assert.match((await compile(t, `site: { ${wrong} }\n`)).mistakes.join('\n'), found)
  }
})

test('an attached wallet cannot be left out', async (t) => {
  const folder = makeContent(t)
  const site = 'site: { leaveOut: [api-keys, wallet] }\n'
  writeContent(folder, 'organization.yaml', ORGANIZATION + site)
  const check = async () =>
    (await compileContent(folder, FIXTURE_NOW_MS)).mistakes.map(formatMistake).join('\n')
  assert.equal(await check(), '')
  editContent(folder, 'wallet', 'attached: false', 'attached: true')
  assert.match(
    await check(),
    /organization\.yaml:\d+:\d+: site\.leaveOut\[1\]: found "wallet", expected a list without it/,
  )
})

const HOSTILE_SVG: readonly (readonly [title: string, svg: string, found: RegExp])[] = [
  ['a script', SVG('<script>alert(1)</script>'), /the element script/],
  [
    'a script in another case of its namespace',
    '<s:svg xmlns:s="http://www.w3.org/2000/svg" width="1" height="1"><s:script/></s:svg>',
    /the element script/,
  ],
  ['an event handler', SVG('<path d="M0 0" onload="alert(1)"/>'), /the attribute onload/],
  [
    'foreign content',
    SVG('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'),
    /the element foreignObject/,
  ],
  ['a link', SVG('<a href="javascript:alert(1)"/>'), /the element a\b/],
  [
    'a reference out of the file',
    SVG('<use href="https://example.org/x.svg#a"/>'),
    /could load or run something/,
  ],
  [
    'an xlink reference out of the file',
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" width="1" height="1"><use x:href="//example.org/a#b"/></svg>',
    /could load or run something/,
  ],
  ['an image', SVG('<image href="data:image/png;base64,AA"/>'), /the element image/],
  [
    'a style',
    SVG('<style>@import url(https://example.org/x.css)</style>'),
    /the element style, expected presentation attributes, such as fill="#0a5a70"; svgo converts styles to them \(docs\/content\.md/,
  ],
  [
    'a style attribute',
    SVG('<path d="M0 0" style="fill:url(https://example.org/x)"/>'),
    /the attribute style, expected presentation attributes, .*svgo converts/,
  ],
  [
    'a fill from another host',
    SVG('<path d="M0 0" fill="url(https://example.org/x#a)"/>'),
    /could load or run something/,
  ],
  [
    'a fill with an escape',
    SVG(String.raw`<path d="M0 0" fill="\75rl(https://example.org/x)"/>`),
    /could load or run something/,
  ],
  [
    'an animation',
    SVG('<path d="M0 0"><animate attributeName="href" to="javascript:alert(1)"/></path>'),
    /the element animate/,
  ],
  [
    'a document type with an entity',
    '<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><text>&a;</text></svg>',
    /a document type/,
  ],
  [
    'a style sheet',
    '<?xml-stylesheet href="https://example.org/x.css"?><svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>',
    /a processing instruction/,
  ],
  ['a page', '<html xmlns="http://www.w3.org/1999/xhtml"/>', /the element html/],
  ['broken XML', SVG('<path d="M0 0">'), /invalid XML/],
  ['no size', '<svg xmlns="http://www.w3.org/2000/svg"/>', /no size/],
  ['too many elements', SVG('<g/>'.repeat(3000)), /too complex/],
  ['a bomb of references', SVG('<use href="#a"/>'.repeat(60)), /too complex/],
  ['deep nesting', SVG('<g>'.repeat(40) + '</g>'.repeat(40)), /too complex/],
  ...[
    'image-set("https://tides.example/a.png" 1x)',
    'image("a.png")',
    'src("a.png")',
    'url(a.svg#m)',
  ].map(
    (mask) =>
      [
        `the mask ${mask}`,
        SVG(`<path d="M0 0" mask='${mask}'/>`),
        /attribute mask that could load or run something, expected url\(#id\) or none/,
      ] as const,
  ),
  [
    'a fill with a fallback that is a function',
    SVG('<path d="M0 0" fill="url(#g) image-set(\'a.png\' 1x)"/>'),
    /attribute fill that could load or run something, expected a color/,
  ],
  [
    'a transform with a function of CSS',
    SVG('<path d="M0 0" transform="translate(env(a))"/>'),
    /attribute transform that could load/,
  ],
  [
    'nested uses',
    SVG(
      `<g id="a0"><path d="M0 0"/></g>${Array.from(
        { length: 24 },
        (_, index) => `<g id="a${index + 1}"><use href="#a${index}"/><use href="#a${index}"/></g>`,
      ).join('')}`,
    ),
    /a use inside of what another use repeats/,
  ],
  [
    'a use that contains itself',
    SVG('<g id="a"><use href="#a"/></g>'),
    /an element that refers to itself/,
  ],
  [
    'masks that multiply',
    SVG(
      `<mask id="m0"><path d="M0 0"/></mask>${Array.from(
        { length: 6 },
        (_, index) =>
          `<mask id="m${index + 1}">${`<path d="M0 0" mask="url(#m${index})"/>`.repeat(10)}</mask>`,
      ).join('')}<path d="M0 0" mask="url(#m6)"/>`,
    ),
    /references that draw more than 5000 elements/,
  ],
]

for (const [title, svg, found] of HOSTILE_SVG) {
  test(`refuses a logo with ${title}, with its position`, async (t) => {
    const { mistakes, organization } = await compile(t, LOGO, { 'logo.svg': svg })
    assert.equal(organization, undefined)
    assert.match(mistakes.join('\n'), found)
    assert.match(mistakes[0] ?? '', /^logo\.svg:\d+:\d+: found /)
  })
}

test('keeps colors, references inside the file and transforms', () => {
  const svg = SVG(
    `<defs><linearGradient id="g"/><mask id="m"><path d="M0 0"/></mask><g id="star"><path d="M0 0"/></g></defs><use href="#star" fill="url(#g) none" mask="url('#m')"/><use href="#star" transform="translate(4, 5) rotate(45)" stroke="rgb(1 2 3 / 50%)" clip-path="none" fill="currentColor"/>`,
  )
  const { value, mistakes } = sanitizeSvg('logo.svg', Buffer.from(svg))
  assert.deepEqual(mistakes, [])
  assert.match(value?.bytes.toString('utf8') ?? '', /mask="url\('#m'\)".* transform="translate/)
})

test('a sanitized logo contains only drawing elements', () => {
  const svg = `<?xml version="1.0"?><!-- made by an editor -->
<svg xmlns="http://www.w3.org/2000/svg" xmlns:e="https://example.org/editor" width="40px" height="20" e:zoom="2">
  <metadata><creator xmlns="https://example.org/m">A person</creator></metadata>
  <e:view/><title>Wave &amp; star</title>
  <defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient></defs>
  <path d="M0 0" fill="url(#g)" data-name="x"/><use href="#p"/>
</svg>`
  const { value: cleaned } = sanitizeSvg('logo.svg', Buffer.from(svg))
  assert.ok(cleaned !== undefined)
  assert.deepEqual([cleaned.width, cleaned.height], [40, 20])
  const written = cleaned.bytes.toString('utf8')
  assert.match(written, /<title>Wave &amp; star<\/title>/)
  assert.match(written, /fill="url\(#g\)"/)
  for (const gone of ['person', 'creator', 'editor', 'e:', 'data-name', '<!--', '<?xml']) {
    assert.ok(!written.includes(gone), gone)
  }
})

test('refuses a secret in the text of a logo', async (t) => {
  const { mistakes } = await compile(t, LOGO, {
    'logo.svg': SVG('<title>someone@example.org</title>'),
  })
  assert.match(mistakes.join('\n'), /^logo\.svg:1:\d+: found an email address/)
})

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from('Author\0A person')),
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

test('a PNG is published without its metadata', async (t) => {
  const more = 'logo: { file: logo.png, alt: A wave }\n'
  const { organization, mistakes } = await compile(t, more, { 'logo.png': png(16, 8) })
  assert.deepEqual(mistakes, [])
  const bytes = Buffer.from(organization?.logo?.base64 ?? '', 'base64')
  assert.equal(organization?.logo?.width, 16)
  assert.ok(!bytes.includes('A person'))
  assert.ok(bytes.includes('IDAT'))
  for (const [content, found] of [
    [Buffer.from('GIF89a'), /not a PNG/],
    [png(16, 8).subarray(0, 60), /a damaged PNG/],
    [png(4000, 1), /4000 × 1 pixels/],
    [Buffer.alloc(200_000), /200000 bytes/],
  ] as const) {
    assert.match((await compile(t, more, { 'logo.png': content })).mistakes.join('\n'), found)
  }
})
