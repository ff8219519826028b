import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { decodeBase64 } from '@public-api/client-internal/base64'
import { LogError } from '@public-api/client-internal/log/log-error'
import { verifyKeyDocument } from '@public-api/client-internal/signing-keys'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { importKey } from '@public-api/client-internal/verification-key'
import { verifyResponse } from '@public-api/client-internal/verify-response'
import { versionHash } from '../../src/crypto/published-history.ts'
import { missingProgram, missingPython, openGoFolder, runPython } from '../docs/verifiers.ts'
import { succeeded } from '../support/run-svc.ts'
import { runVectors } from '../support/run-vectors.ts'
import { createSeededRandom } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type {
  HistoryVector,
  KeyVector,
  LogVector,
  Vector,
  VectorResponse,
} from '../support/vector.ts'
import { logOf } from '../vectors/log-vectors.ts'
import { digestOf, signAgain, withHeader, withoutHeaders } from '../vectors/response-changes.ts'
import { TEST_SIGNING_KEY } from '../vectors/signing-key.ts'

// Mutations of the shared cases, with the verdict of each client. A difference is a fault of one of them, or is listed.

type Case = Vector | HistoryVector | KeyVector | LogVector

/** Cases whose verdicts may differ, by the beginning of their names, with the reason. None is known. */
const ALLOWED_DIFFERENCES: readonly (readonly [name: string, reason: string])[] = []

const FOLDER = 'test/vectors'
const PER_CASE = 12

const below = createSeededRandom(33)
const random = () => below(1000) / 1000
const oneOf = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item

/** Texts on which parsers differ. */
const TOKENS = [
  'null',
  'true',
  '0',
  '-0',
  '1.0',
  '1e2',
  '1e999',
  '-1e-999',
  '01',
  '9007199254740993',
  'NaN',
  '""',
  '"a"',
  '{}',
  '[]',
  '{"a":1,"a":1}',
  '"\\ud800"',
  '"\\ud83d\\ude00"',
  '"\\u0000"',
  ',',
  ':',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ' ',
  '	',
  '\n',
  '\r',
  '\xA0',
  '﻿',
  '\u2028',
  '',
  '\0',
  '',
  'ก',
  '😀',
  '　',
  '/',
  '+',
  '=',
  '-',
  '_',
  '—',
  '"__proto__":1,',
  '"data":null,',
  `${'['.repeat(127)}${']'.repeat(127)}`,
  '['.repeat(200),
] as const

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e21,
  '',
  'a',
  '../../x',
  '__proto__',
  'VS-0001',
  '\ud800',
  '﻿',
  'yesterday',
  '2026-02-30T00:00:00Z',
  '2026-11-01T00:00:00.5Z',
  '2026-11-01t00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0'.repeat(64),
  'F'.repeat(64),
  'A'.repeat(43),
  [],
  {},
  [[]],
  [null],
  { a: null },
]

/** A text with one part removed, repeated, replaced or added. */
function mutateText(text: string): string {
  const at = below(text.length + 1)
  const end = Math.min(text.length, at + 1 + below(oneOf([1, 4, 40])))
  const [before, part, rest] = [text.slice(0, at), text.slice(at, end), text.slice(end)]
  return oneOf([
    before + rest,
    before + part + part + rest,
    before + oneOf(TOKENS) + rest,
    before + oneOf(TOKENS) + part + rest,
  ])
}

/** A value with one part replaced, removed or added. */
function mutateValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.1)
    return structuredClone(oneOf(VALUES))
  if (Array.isArray(value)) {
    const at = below(value.length)
    return oneOf([
      value.toSpliced(at, 1, mutateValue(value[at])),
      value.toSpliced(at, 1),
      value.toSpliced(at, 0, oneOf(VALUES)),
      value.toReversed(),
    ])
  }
  const entries = Object.entries(value)
  const at = below(entries.length)
  const [name = 'a', member] = entries[at] ?? []
  return Object.fromEntries(
    oneOf([
      entries.map((entry, place) => (place === at ? [name, mutateValue(member)] : entry)),
      entries.toSpliced(at, 1),
      [...entries, [oneOf(['a', '__proto__', '', 'hash', 'é', '\u{1f600}']), oneOf(VALUES)]],
    ]) as readonly (readonly [string, unknown])[],
  )
}

/** What a response responds to. */
interface Asked {
  readonly method: string
  readonly target: string
}

/** The response with another body, correctly signed, and without the fields that the body would have to match. */
function resigned(asked: Asked, response: VectorResponse, body: Uint8Array): VectorResponse {
  const bare = withoutHeaders(response, random() < 0.5 ? ['ETag', 'X-Request-Id'] : [])
  const edited = { ...bare, bodyBase64: Buffer.from(body).toString('base64') }
  return signAgain(asked, withHeader(edited, 'Content-Digest', digestOf(edited)), TEST_SIGNING_KEY)
}

function bodyOf({ bodyBase64 }: VectorResponse): string {
  return Buffer.from(bodyBase64 ?? '', 'base64').toString()
}

function mutateBody(response: VectorResponse): string {
  const body = bodyOf(response)
  if (random() < 0.5) return mutateText(body)
  try {
    return JSON.stringify(mutateValue(JSON.parse(body)))
  } catch {
    return mutateText(body)
  }
}

/** What a field may contain: one byte a character, without line breaks. */
function mutateField(value: string): string {
  // eslint-disable-next-line no-control-regex
  return mutateText(value).replaceAll(/[^\t -~\u0080-\u00ff]/gu, '')
}

function mutateHeaders(response: VectorResponse): VectorResponse {
  const at = below(response.headers.length)
  const [name = 'A', value = ''] = response.headers[at] ?? []
  const headers = oneOf([
    response.headers.toSpliced(at, 1),
    response.headers.toSpliced(at, 1, [name, mutateField(value)]),
    response.headers.toSpliced(at, 0, [name, value]),
    response.headers.toSpliced(at, 1, [name.toUpperCase(), ` ${value}\t`]),
  ])
  return { ...response, headers }
}

function mutateResponse(asked: Asked, response: VectorResponse): VectorResponse {
  if (random() < 0.5 || response.bodyBase64 === null) return mutateHeaders(response)
  const hasDigest = response.headers.some(([name]) => name === 'Content-Digest')
  const body = Buffer.from(mutateBody(response))
  if (!hasDigest) return { ...response, bodyBase64: body.toString('base64') }
  if (random() < 0.7) return resigned(asked, response, body)
  const timed = withHeader(response, 'X-SVC-Signed-At', mutateField('2026-11-21T09:00:00.123Z'))
  return signAgain(asked, timed, TEST_SIGNING_KEY)
}

async function mutate(vector: Case): Promise<Case> {
  if ('policy' in vector) {
    const { result: _, ...rest } = vector
    if (rest.proof !== undefined && random() < 0.5) {
      const text = Buffer.from(/^extra (\S+)$/m.exec(rest.proof)?.[1] ?? '', 'base64').toString()
      const { hash: __, ...first } = FIRST_ENTRY
      const entry =
        random() < 0.5 ? mutateText(text) : `svc-version-v1\n${canonicalOr(mutateValue(first))}`
      return { ...rest, ...(await logOf(Buffer.from(entry))) }
    }
    const part = oneOf(['policy', rest.proof === undefined ? 'note' : 'proof'] as const)
    return { ...rest, [part]: mutateText(rest[part] ?? '').toWellFormed() }
  }
  if ('keyRequest' in vector) {
    return { ...vector, response: mutateResponse(vector.keyRequest, vector.response) }
  }
  if ('entries' in vector) {
    const at = below(vector.entries.length)
    const changed = mutateValue(vector.entries[at]) as HistoryVector['entries'][number]
    let entry = changed
    try {
      const { hash: _, ...hashed } = changed
      if (random() < 0.8) entry = { ...changed, hash: versionHash(hashed) }
    } catch {
      // Without a canonical form it has no hash.
    }
    return { ...vector, entries: vector.entries.with(at, entry) }
  }
  const { chain: _, warnings: __, ...rest } = vector
  if (random() < 0.1) return { ...rest, maxAgeSeconds: oneOf([0, 1, 5, 900]) }
  if (random() < 0.1)
    return { ...rest, request: { ...rest.request, target: mutateField(rest.request.target) } }
  return { ...rest, response: mutateResponse(rest.request, rest.response) }
}

/** RFC 8785 for values without lone surrogates and exotic numbers; enough to pass the check of the form. */
function canonicalOr(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalOr).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalOr(member)}`).join()}}`
}

const FIRST_ENTRY = (
  JSON.parse(readFileSync(`${FOLDER}/history/good.json`, 'utf8')) as HistoryVector
).entries[0] as HistoryVector['entries'][number]

/** The verdict of JavaScript: `ok` with the codes of the warnings, or a code. */
async function verdictOf(vector: Case): Promise<string> {
  try {
    if ('keyRequest' in vector) {
      await verifyKeyDocument({
        ...vector.keyRequest,
        ...vector.response,
        body: decodeBase64(vector.response.bodyBase64 ?? ''),
        pinnedKeyIds: vector.pinnedKeyIds.length === 0 ? undefined : vector.pinnedKeyIds,
        nowMs: Date.parse(vector.now),
      })
      return 'ok'
    }
    if (!('request' in vector)) {
      const texts = new Map([
        ['index.json', '["one"]'],
        ['one.json', JSON.stringify(vector)],
      ])
      const [result] = await runVectors((file) => Promise.resolve(texts.get(file) ?? ''))
      // A case without a result.
      return result?.found === 'LOG_MISMATCH' ? 'ok' : (result?.found ?? '')
    }
    const sent = vector.request.headers.find(([name]) => name === 'If-None-Match')
    const { warnings } = await verifyResponse({
      method: vector.request.method,
      target: vector.request.target,
      ...(sent === undefined ? {} : { ifNoneMatch: sent[1] }),
      ...vector.response,
      body: decodeBase64(vector.response.bodyBase64 ?? ''),
      keys: [await importKey(vector.publicKey)],
      pinnedKeyIds: [vector.pinnedKeyId],
      maxAgeSeconds: vector.maxAgeSeconds,
      nowMs: Date.parse(vector.now),
      ...(vector.revalidation === undefined ? {} : { revalidated: vector.revalidation.headers }),
    })
    return ['ok', ...warnings.map((warning) => warning.split(':')[0])].join(' ')
  } catch (error) {
    if (!(error instanceof VerificationError || error instanceof LogError))
      return `threw ${String(error)}`
    return error.code === 'KEY_MALFORMED' ? 'UNKNOWN_KEY' : error.code
  }
}

function readCases(): readonly (readonly [name: string, vector: Case])[] {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  const names = files.filter(
    (file) => file.endsWith('.json') && !/^(?:fallback|integrity)/.test(file),
  )
  return names
    .toSorted()
    .map((file) => [
      file.replace('.json', ''),
      JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as Case,
    ])
}

const go = openGoFolder()
after(() => go.close())

test(
  'the clients agree on mutations of every case',
  { skip: missingPython() ?? missingProgram('go') ?? false },
  async (t) => {
    const cases: { readonly name: string; readonly vector: Case }[] = []
    for (const [name, vector] of readCases()) {
      for (let number = 0; number < PER_CASE; number += 1) {
        cases.push({ name: `${name} ${number}`, vector: await mutate(vector) })
      }
    }
    const file = path.join(temporaryFolder(t), 'cases.json')
    writeFileSync(file, JSON.stringify(cases.map(({ vector }) => vector)))
    const python = succeeded(await runPython(['clients/python/tests/verdicts.py', file]))
    const asked = ['test', '-count=1', '-run', 'TestVerdicts', '.']
    succeeded(await go.run(asked, { VERDICTS_OF: file }))
    const verdicts = [
      await Promise.all(cases.map(({ vector }) => verdictOf(vector))),
      JSON.parse(python) as readonly string[],
      JSON.parse(readFileSync(`${file}.verdicts`, 'utf8')) as readonly string[],
    ]
    const differences = cases.flatMap(({ name }, at) => {
      const [one = '', ...others] = verdicts.map((each) => each[at] ?? 'missing')
      const isSame = others.every((other) => other === one) && !one.startsWith('threw')
      const isAllowed = ALLOWED_DIFFERENCES.some(([start]) => name.startsWith(start))
      return isSame || isAllowed ? [] : [`${name}: ${[one, ...others].join(' / ')}`]
    })
    const found = new Set(verdicts[0])
    assert.ok(cases.length > 3000 && found.size > 15, `${cases.length} cases, ${[...found].join()}`)
    assert.deepEqual(
      differences.slice(0, 40),
      [],
      `${differences.length} of ${cases.length} differ`,
    )
  },
)
