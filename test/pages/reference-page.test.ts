import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { VERIFICATION_FAULTS } from '@public-api/client-internal/verification-error'
import { VERIFICATION_STEPS } from '@public-api/client-internal/verification-step'
import * as clientWrites from '@public-api/client-internal/write'
import type { OpenApiDocument } from '@public-api/contract/documents/openapi'
import { ERRORS, type ErrorCode } from '@public-api/contract/errors/errors'
import { REMEDIES } from '@public-api/contract/errors/remedies'
import {
  ENDPOINTS,
  errorsOf,
  ownErrorsOf,
  KEY_ERRORS,
  type Registry,
} from '@public-api/contract/registry/endpoints'
import { DATA_SCHEMAS, REQUEST_SCHEMAS } from '@public-api/contract/registry/schemas'
import {
  ENDPOINT_STATUSES,
  STABILITY_LEVELS,
  TAGS,
} from '@public-api/contract/terms/endpoint-terms'
import { CACHE_CLASSES } from '@public-api/contract/terms/headers'
import { LIMITS } from '@public-api/contract/terms/limits'
import { LOCALES } from '@public-api/contract/terms/locales'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import type { AppDependencies } from '../../src/app.ts'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { countText, plainText, type PluralForms } from '../../src/pages/markup/rich-text.ts'
import { requestSamples } from '../../src/pages/reference/request-samples.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import {
  attributeOf,
  parsePage,
  textIn,
  type PageMarkup,
  type PageElement,
} from '../support/page-markup.ts'
import { runApp, TEST_SIGNING_KEY } from '../support/running-app.ts'

const ROWS: Registry = ENDPOINTS

const { reference } = TEXTS.en

const counted = (forms: PluralForms, count: number) => countText('en', forms, count).text

/** A text of the contract as a page shows it, with its code in elements. */
const withoutMarks = (text: string) => text.replaceAll('`', '')

interface ReadPage {
  readonly text: string
  readonly markup: PageMarkup
}

async function readPage(
  t: TestContext,
  path: string,
  parts: Partial<AppDependencies> = {},
): Promise<ReadPage> {
  const app = await runApp(t, parts)
  const paths = path.endsWith('/reference')
    ? [path, ...Object.keys(TAGS).map((tag) => `${path}/${tag}`)]
    : [path]
  const pages = await Promise.all(
    paths.map(async (each) => {
      const text = await app.text(each)
      return { text, markup: parsePage(text) }
    }),
  )
  return {
    text: pages.map(({ text }) => text).join('\n'),
    markup: {
      ids: pages.flatMap(({ markup }) => markup.ids),
      all: (selector) => pages.flatMap(({ markup }) => markup.all(selector)),
    },
  }
}

/** The entry of an endpoint. */
function entryOf({ markup }: ReadPage, name: string): PageElement {
  const [entry] = markup.all(`section[id="${name}"]`)
  assert.ok(entry, `no entry ${name}`)
  return entry
}

/** The entry of a code in the error catalog. */
function catalogEntry(markup: PageMarkup, code: string): PageElement {
  const entry = markup.all('.error-entry').find((each) => textAt(each, 'code') === code)
  assert.ok(entry, `no entry ${code}`)
  assert.ok(entry.querySelector(`[id="${code}"]`), `${code} has no address`)
  return entry
}

/** The sections that hold for all endpoints. */
function aboutSections({ markup }: ReadPage): readonly PageElement[] {
  return markup
    .all('section')
    .filter((each) => attributeOf(each, 'aria-labelledby')?.startsWith('about-') === true)
}

/** The text of the first element below another that a selector finds. */
function textAt(entry: PageElement, selector: string): string {
  const found = entry.querySelector(selector)
  assert.ok(found, `there is no ${selector}`)
  return textIn(found)
}

/** The codes that an entry links to. */
function codesOf(entry: PageElement): readonly string[] {
  return entry
    .querySelectorAll('a')
    .flatMap((link) => attributeOf(link, 'href') ?? [])
    .filter((href) => href.includes('/errors#'))
    .map((href) => href.slice(href.indexOf('#') + 1))
}

/** What is written between the tags of an element, line breaks and all. */
function rawText(entry: PageElement, selector: string): string {
  const found = entry.querySelector(selector)
  assert.ok(found, `there is no ${selector}`)
  return found.textContent
}

describe('every endpoint has an entry', () => {
  test('with its registry fields', async (t) => {
    const page = await readPage(t, '/en/reference')
    for (const [name, row] of Object.entries(ROWS)) {
      const entry = entryOf(page, name)
      assert.equal(textAt(entry, 'h2'), row.summary)
      assert.equal(textAt(entry, '.call'), `${row.method} ${row.path}`)
      const { traits } = reference
      assert.deepEqual(entry.querySelectorAll('.traits li').map(textIn), [
        traits.stability[row.stability],
        ...(row.status === 'active' ? [] : [traits.status[row.status]]),
        traits.authentication[row.authentication],
        traits.cacheClass[row.cacheClass],
      ])
      assert.ok(textIn(entry).includes(withoutMarks(row.description)), name)
    }
  })

  test('with a request and a response', async (t) => {
    const page = await readPage(t, '/en/reference')
    for (const [name, row] of Object.entries(ROWS)) {
      const entry = entryOf(page, name)
      const curl = rawText(entry, '.samples code')
      const { keyId } = derivePublicSigningKey(TEST_SIGNING_KEY)
      const written = requestSamples(name, row, {
        origin: 'http://127.0.0.1:8080',
        keyId,
        commands: undefined,
      })
      assert.deepEqual(
        written.map(({ language }) => language),
        ['curl', 'javascript', 'python', 'go'],
      )
      // test/clients/reference-samples.long.test.ts runs them.
      assert.deepEqual(
        entry.querySelectorAll('.samples code').map((each) => each.textContent),
        written.map(({ text }) => text),
      )
      const path = row.path.replace(/\{.*\}/, row.parameter?.example ?? '')
      assert.ok(curl.includes(`http://127.0.0.1:8080${path}`), curl)
      assert.equal(curl.includes(`-X ${row.method}`), row.method !== 'GET')
      assert.equal(curl.includes('$API_KEY'), row.authentication === 'api-key')
      const body = /-d '(.*)'/s.exec(curl)?.[1]
      assert.equal(body !== undefined, row.request !== undefined, name)
      if (row.request !== undefined && body !== undefined) {
        const sent = JSON.parse(body) as object
        const known = Object.keys(REQUEST_SCHEMAS[row.request].properties)
        assert.deepEqual(Object.keys(sent), known)
      }
      const status = row.success?.status ?? ERRORS[row.failure].status
      assert.match(rawText(entry, 'pre.json'), new RegExp(`^HTTP ${status}\n\\{`))
    }
  })

  test('with samples of the package that call functions which it has', () => {
    const asked = { origin: 'http://127.0.0.1:8080', keyId: 'k', commands: 'npx svc' }
    const called = Object.entries(ROWS).flatMap(([name, row]) => {
      const [, sample] = requestSamples(name, row, asked)
      return (
        /import { (\w+) } from '@public-api\/client\/write'/.exec(sample?.text ?? '')?.[1] ?? []
      )
    })
    assert.deepEqual(called, ['register', 'revokeKeySelf'])
    for (const name of called) assert.ok(Object.hasOwn(clientWrites, name), name)
  })

  test('with data of the service, as it serves them', async (t) => {
    const app = await runApp(t)
    const page = await readPage(t, '/en/reference')
    const createExample = (name: string): string => rawText(entryOf(page, name), 'pre.json')
    const { exampleReal, exampleMade } = reference
    // The document is shortened.
    const leftOut: { readonly [name: string]: readonly string[] } = {
      openapi: ['paths', 'components'],
    }
    for (const [name, { path, parameter, cacheClass, status, method }] of Object.entries(ROWS)) {
      const isPublished = cacheClass === 'static-snapshot'
      const label = textAt(entryOf(page, name), 'figcaption')
      if (status === 'preview' || method !== 'GET') continue
      assert.equal(label, isPublished ? exampleReal : exampleMade, name)
      if (!isPublished) continue
      const target = path.replace(/\{.*\}/, parameter?.example ?? '')
      const body = (await (await app.fetch(target)).json()) as { data?: object }
      for (const [member, value] of Object.entries(body.data ?? body)) {
        if (leftOut[name]?.includes(member) === true) continue
        const isShort = typeof value === 'string' && value.length < 60
        const shown = isShort || typeof value === 'number' ? ` ${JSON.stringify(value)}` : ''
        assert.ok(createExample(name).includes(`"${member}":${shown}`), `${name} ${member}${shown}`)
      }
    }
    assert.ok(createExample('versionById').includes('"snapshotId": "VS-0001"'))
  })

  test('with an example of the schema where a service has no data', async (t) => {
    const page = await readPage(t, '/en/reference', { signing: undefined })
    const label = textAt(entryOf(page, 'signingKey'), 'figcaption')
    assert.equal(label, reference.exampleMade)
  })

  test('with its own errors', async (t) => {
    const page = await readPage(t, '/en/reference')
    const keyErrors: readonly ErrorCode[] = KEY_ERRORS
    const about = aboutSections(page).flatMap(codesOf)
    for (const code of keyErrors) assert.ok(about.includes(code), code)
    const common = about.filter((code) => !keyErrors.includes(code as ErrorCode))
    assert.deepEqual(common, ['SNAPSHOT_UNAVAILABLE'])
    for (const [name, row] of Object.entries(ROWS)) {
      const listed = codesOf(entryOf(page, name))
      assert.deepEqual(new Set([...listed, ...keyErrors]), new Set(errorsOf(row)), name)
      const statuses = listed.map((code) => ERRORS[code as ErrorCode].status)
      assert.deepEqual(
        statuses,
        statuses.toSorted((a, b) => a - b),
        name,
      )
      for (const code of listed) {
        const text = textAt(entryOf(page, name), '.error-list')
        assert.ok(text.includes(`${code} ${ERRORS[code as ErrorCode].status}`), text)
      }
    }
  })

  test('with body fields and limits', async (t) => {
    const page = await readPage(t, '/en/reference')
    const [list] = entryOf(page, 'register').querySelectorAll('.fields')
    const meanings = list?.querySelectorAll('dd').map(textIn) ?? []
    const fields = (list?.querySelectorAll('dt') ?? []).map(
      (name, index) => `${textIn(name)} ${meanings[index]}`,
    )
    const { required, properties } = REQUEST_SCHEMAS.Registration
    assert.deepEqual(
      fields.map((field) => field.split(' ').slice(0, 3).join(' ')),
      Object.entries(properties).map(
        ([name, { type }]) =>
          `${name} ${type} ${required.some((each) => each === name) ? 'required' : 'optional'}`,
      ),
    )
    const [email = '', , interests = '', useCase = ''] = fields
    assert.ok(email.includes(counted(reference.maxLength, LIMITS.maxEmailLength)), email)
    for (const area of properties.interests.items.enum) assert.ok(interests.includes(area), area)
    assert.ok(interests.includes(counted(reference.maxItems, LIMITS.maxInterests)), interests)
    assert.ok(useCase.includes(counted(reference.maxLength, LIMITS.maxUseCaseCodePoints)), useCase)
    const key = textIn(entryOf(page, 'createKey'))
    const range = { least: LIMITS.minTtlDays, most: LIMITS.maxTtlDays }
    assert.ok(key.includes(plainText(reference.range, range)), key)
    assert.ok(
      key.includes(reference.defaultValue.replace('{value}', String(LIMITS.defaultTtlDays))),
    )
  })

  test('with every field of its response, each with an address', async (t) => {
    const page = await readPage(t, '/en/reference')
    const addressesOf = (schema: JsonSchema, path: string): readonly string[] =>
      Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
        `${path}.${name}`,
        ...addressesOf(field.items ?? field, `${path}.${name}`),
      ])
    for (const [name, { success, request, parameter, query = {} }] of Object.entries(ROWS)) {
      const expected = [
        ...(parameter === undefined ? [] : [`${name}.path.${parameter.name}`]),
        ...Object.keys(query).map((each) => `${name}.query.${each}`),
        ...(request === undefined ? [] : addressesOf(REQUEST_SCHEMAS[request], `${name}.body`)),
        ...(success === undefined ? [] : addressesOf(DATA_SCHEMAS[success.data], name)),
      ]
      const terms = entryOf(page, name).querySelectorAll('.fields dt')
      assert.deepEqual(
        terms.map((term) => attributeOf(term, 'id')),
        expected,
      )
      for (const [index, term] of terms.entries()) {
        assert.ok(textIn(term).startsWith(expected[index]?.split('.').at(-1) ?? '?'), textIn(term))
      }
    }
  })

  test('and the parameter of its path', async (t) => {
    const page = await readPage(t, '/en/reference')
    const { description, example, pattern } = ENDPOINTS.versionById.parameter
    const entry = entryOf(page, 'versionById')
    for (const text of [description, example, pattern]) assert.ok(textIn(entry).includes(text))
    assert.equal(attributeOf(entry, 'data-parameter'), 'snapshotId')
    const { optional, required } = TEXTS.en.reference
    assert.match(textIn(entry), new RegExp(`snapshotId string ${required}`))
    const { name } = ENDPOINTS.preview.parameter
    assert.match(textIn(entryOf(page, 'preview')), new RegExp(`${name} string ${optional}`))
  })

  test('and the query parameters', async (t) => {
    const page = await readPage(t, '/en/reference')
    const { limit, before } = ENDPOINTS.versions.query
    const entry = textIn(entryOf(page, 'versions'))
    const { queryParameters, range } = TEXTS.en.reference
    for (const text of [
      queryParameters,
      withoutMarks(limit.description),
      plainText(range, { least: limit.minimum, most: limit.maximum }),
      withoutMarks(before.description),
      before.pattern,
    ]) {
      assert.ok(entry.includes(text), text)
    }
    assert.ok(!textIn(entryOf(page, 'version')).includes(queryParameters))
  })
})

describe('the page follows the registry', () => {
  const deprecation = {
    deprecatedAt: '2026-11-01T00:00:00.000Z',
    sunsetAt: '2027-03-01T00:00:00.000Z',
    successor: ENDPOINTS.version.path,
  }
  const registry: Registry = {
    ...ENDPOINTS,
    roadmap: {
      ...ENDPOINTS.roadmap,
      summary: 'Read what comes <next>',
      stability: 'beta',
    },
    versions: { ...ENDPOINTS.versions, status: 'deprecated', deprecation },
    weather: { ...ENDPOINTS.time, path: '/api/v1/weather', summary: 'Read the weather' },
    workbench: {
      ...ENDPOINTS.time,
      path: '/api/v1/workbench',
      summary: 'Read the workbench',
      runtime: 'local',
    },
  }
  const unexpected = (): never => {
    throw new Error('These tests read pages only')
  }
  const parts = { registry, extraHandlers: { weather: unexpected, workbench: unexpected } }

  test('with changed, added and deprecated rows', async (t) => {
    const page = await readPage(t, '/en/reference', parts)
    assert.equal(textAt(entryOf(page, 'roadmap'), 'h2'), 'Read what comes <next>')
    assert.match(textAt(entryOf(page, 'roadmap'), '.traits'), /^Beta /)
    assert.equal(textAt(entryOf(page, 'weather'), '.call'), 'GET /api/v1/weather')
    assert.ok(page.markup.all('.rail a').map(textIn).includes('GET /weather'))
    const [note] = entryOf(page, 'versions').querySelectorAll('.note')
    assert.ok(note)
    assert.deepEqual(
      note.querySelectorAll('time').map((time) => attributeOf(time, 'datetime')),
      [deprecation.deprecatedAt, deprecation.sunsetAt],
    )
    assert.ok(textIn(note).includes(deprecation.successor))
  })

  test('externalDocs of the OpenAPI document lead to the entry with the deprecation', async (t) => {
    const app = await runApp(t, parts)
    const openapi = (await (await app.fetch(ENDPOINTS.openapi.path)).json()) as OpenApiDocument
    const operation = openapi.paths[ENDPOINTS.versions.path]?.['get'] as
      | { readonly deprecated?: boolean; readonly externalDocs?: { readonly url?: string } }
      | undefined
    assert.equal(operation?.deprecated, true)
    const { pathname, hash } = new URL(operation.externalDocs?.url ?? '')
    const target = parsePage(await (await app.fetch(pathname)).text())
    const [entry] = target.all(`[id="${hash.slice(1)}"]`)
    assert.ok(entry, `${pathname} has no ${hash}`)
    const [note] = entry.querySelectorAll('.note-warn')
    assert.ok(note, `${pathname}${hash} has no note`)
    assert.ok(textIn(note).includes(deprecation.successor))
  })

  test('and so does the error catalog', async (t) => {
    const { markup } = await readPage(t, '/en/errors', parts)
    const links = markup.all('a').flatMap((link) => attributeOf(link, 'href') ?? [])
    assert.ok(links.includes('/en/reference/snapshots#weather'))
  })

  test('without rows of other runtimes', async (t) => {
    const page = await readPage(t, '/en/reference', { ...parts, runtime: 'production' })
    assert.equal(page.markup.all('section[id="workbench"]').length, 0)
    const local = await readPage(t, '/en/reference', parts)
    assert.match(
      textAt(entryOf(local, 'workbench'), '.traits'),
      new RegExp(reference.traits.runtime.local),
    )
  })

  test('in every locale, with untranslated texts marked as English', async (t) => {
    const page = await readPage(t, '/th/reference', parts)
    const found = entryOf(page, 'roadmap').querySelector('h2 [lang="en"]')
    assert.ok(found)
    assert.equal(textIn(found), 'Read what comes <next>')
  })
})

describe('general sections', () => {
  test('cache classes, stability, limits and the state of issuance', async (t) => {
    const page = await readPage(t, '/en/reference')
    const about = aboutSections(page).map(textIn).join(' ')
    for (const { cacheControl, meaning } of Object.values(CACHE_CLASSES)) {
      assert.ok(about.includes(cacheControl) && about.includes(withoutMarks(meaning)), cacheControl)
    }
    for (const meaning of Object.values(STABILITY_LEVELS)) {
      assert.ok(about.includes(withoutMarks(meaning)))
    }
    // An entry says these words without the name of their table.
    const words = [...Object.keys(STABILITY_LEVELS), ...Object.keys(ENDPOINT_STATUSES)]
    assert.equal(new Set(words).size, words.length)
    for (const { requests, windowSeconds } of [
      LIMITS.keyedRequests,
      LIMITS.registrationPerActor,
      LIMITS.keyIssuance,
    ]) {
      const format = new Intl.NumberFormat('en')
      const { perWindow, window } = reference.about
      const unit = windowSeconds === 3600 ? window.hour : window.minute
      const text = plainText(perWindow, { requests: format.format(requests), window: unit })
      assert.ok(about.includes(text), text)
    }
    assert.ok(about.includes('PRODUCT_NOT_READY'))
  })

  test('does not call open issuance paused', async (t) => {
    const issuance = {
      enabled: true,
      approvedBy: 'A board',
      approvedAt: '2026-11-01',
      reference: 'https://example.test/1',
    } as const
    const { text } = await readPage(t, '/en/reference', { issuance })
    assert.ok(!text.includes('Issuing keys is paused'))
  })

  test('a deployment that does not sign says that it names no key', async (t) => {
    const { text } = await readPage(t, '/en/reference', { signing: undefined })
    assert.ok(text.includes(TEXTS.en.reference.try.noKey))
    assert.match(text, /data-key-id=""/)
  })
})

describe('the rail', () => {
  test('marks its page and names every endpoint with its method', async (t) => {
    const app = await runApp(t)
    const paths = ['reference', ...Object.keys(TAGS).map((tag) => `reference/${tag}`)]
    for (const path of paths) {
      const markup = parsePage(await (await app.fetch(`/en/${path}`)).text())
      const marked = markup.all('.rail a[aria-current="page"]')
      assert.deepEqual(
        marked.map((link) => attributeOf(link, 'href')),
        [`/en/${path}`],
      )
      const links = markup.all('.rail li a').map((link) => textIn(link))
      const expected = Object.values(ROWS).map(
        ({ method, path: full }) => `${method} ${full.replace('/api/v1', '') || '/'}`,
      )
      assert.deepEqual(links.toSorted(), expected.toSorted())
    }
  })
})

describe('the error catalog', () => {
  test('has every code under its anchor, with its meaning and what to do', async (t) => {
    const { markup } = await readPage(t, '/en/errors')
    const codes = Object.keys(ERRORS) as ErrorCode[]
    for (const code of codes) {
      const entry = catalogEntry(markup, code)
      const { meaning, message, retryAfterSeconds, retryable } = ERRORS[code]
      const text = textIn(entry)
      // The message is in the example, too.
      for (const part of [...[meaning, REMEDIES[code] ?? message].map(withoutMarks), message]) {
        assert.ok(text.includes(part), `${code}: ${text}`)
      }
      assert.equal(text.includes(TEXTS.en.errorCatalog.canRetry), retryable, code)
      if (retryAfterSeconds !== undefined) {
        assert.match(text, new RegExp(`\\b${retryAfterSeconds}\\b`))
      }
    }
    assert.equal(markup.all('.error-entry').length, codes.length)
    // What to do does not repeat when.
    for (const code of codes) {
      const entry = catalogEntry(markup, code)
      const when = textAt(entry, 'summary span')
      const whatToDo = textAt(entry, 'dd')
      const start = when.split(' ').slice(0, 4).join(' ').replace(/\.$/, '')
      assert.ok(!whatToDo.includes(start), `${code}: ${whatToDo}`)
    }
  })

  for (const locale of LOCALES) {
    test(`states in one line when each code is sent, and whether to retry, in ${locale}`, async (t) => {
      const { markup } = await readPage(t, `/${locale}/errors`)
      const { errorCatalog: texts } = TEXTS[locale]
      const lines = markup.all('.error-entry summary')
      const codes = lines.map((line) => textAt(line, 'code')) as ErrorCode[]
      assert.deepEqual(codes.toSorted(), Object.keys(ERRORS).toSorted())
      for (const [index, line] of lines.entries()) {
        const { retryable, retryAfterSeconds, meaning } = ERRORS[codes[index] ?? 'NOT_FOUND']
        const [when, retry] = line.querySelectorAll('span').map(textIn)
        if (locale === 'en') assert.equal(when, withoutMarks(meaning))
        else assert.notEqual(when, '')
        const said =
          retryAfterSeconds === undefined
            ? texts.yes
            : plainText(texts.yesWithin, { seconds: retryAfterSeconds })
        const isSame =
          (retry ?? '').replaceAll(/[\u2060\u200b]/g, '') === said.replaceAll(/[\u2060\u200b]/g, '')
        assert.equal(isSame, retryable, `${codes[index]} ${retry}`)
      }
    })
  }

  test("has each code's body as the service sends it, with placeholders", async (t) => {
    const app = await runApp(t)
    const markup = parsePage(await (await app.fetch('/en/errors')).text())
    const examples = new Map(
      markup.all('.error-entry').map((entry) => {
        const [, status, body = ''] = /^HTTP (\d+)\n(.*)$/s.exec(rawText(entry, 'pre')) ?? []
        return [textAt(entry, 'code'), { status: Number(status), body }] as const
      }),
    )
    assert.deepEqual([...examples.keys()].map(String).toSorted(), Object.keys(ERRORS).toSorted())
    for (const [code, { status, body }] of examples) {
      const { requestId, error } = JSON.parse(body) as { requestId: string; error: object }
      assert.match(requestId, /^0{8}-0{4}-4000-8000-0{12}$/)
      const { meaning: _, ...expected } = ERRORS[code as ErrorCode]
      assert.deepEqual(error, { code, ...expected })
      assert.equal(status, expected.status)
    }
    for (const [path, method] of [
      ['/api/v1/nothing', 'GET'],
      ['/api/v1/status', 'POST'],
      ['/api/v1/keys/self', 'GET'],
    ] as const) {
      const sent = (await (await app.fetch(path, { method })).json()) as {
        error: { code: string }
        requestId: string
        issuedAt: string
      }
      const example = JSON.parse(examples.get(sent.error.code)?.body ?? '{}') as object
      const { requestId, issuedAt } = sent
      assert.deepEqual(Object.keys(example), Object.keys(sent))
      assert.deepEqual({ ...example, requestId, issuedAt }, sent)
    }
  })

  test('links each code to the endpoints that return it', async (t) => {
    const { markup } = await readPage(t, '/en/errors')
    const keyErrors: readonly ErrorCode[] = KEY_ERRORS
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      const named = catalogEntry(markup, code)
        .querySelectorAll('a')
        .flatMap((link) => attributeOf(link, 'href') ?? [])
        .filter((href) => href.startsWith('/en/reference/'))
        .map((href) => href.slice(href.indexOf('#') + 1))
      const expected = Object.entries(ROWS).filter(([, row]) =>
        keyErrors.includes(code) ? ownErrorsOf(row).includes(code) : errorsOf(row).includes(code),
      )
      assert.deepEqual(named.toSorted(), expected.map(([name]) => name).toSorted(), code)
    }
  })

  test('explains every verification code', async (t) => {
    const { markup } = await readPage(t, '/en/errors')
    for (const code of Object.keys(VERIFICATION_FAULTS)) assert.ok(markup.ids.includes(code), code)
    for (const locale of LOCALES) {
      const { faults, steps } = TEXTS[locale].proof
      assert.deepEqual(Object.keys(faults), Object.keys(VERIFICATION_FAULTS))
      assert.deepEqual(Object.keys(steps), [...VERIFICATION_STEPS])
    }
  })
})

test('the proof texts are on the verify page', async (t) => {
  const { text, markup } = await readPage(t, '/th/reference')
  const [opener] = markup.all('#try')
  assert.equal(opener && attributeOf(opener, 'data-form'), '/th/reference')
  const address = attributeOf(markup.all('#try-form')[0] as PageElement, 'data-proof') ?? ''
  assert.ok(!text.includes('data-texts="proof"'))
  const { text: other } = await readPage(t, address)
  assert.ok(other.includes('data-texts="proof"'))
  assert.equal(address, '/th/verify')
})

test('the field of the challenge token links to how one gets it', async (t) => {
  const { markup } = await readPage(t, '/en/reference/early-access')
  const links = markup.all('a[href="#register.token"]').map(textIn)
  assert.deepEqual(links, [reference.challenge.title, reference.challenge.title])
  assert.ok(markup.ids.includes('register.token'))
})
