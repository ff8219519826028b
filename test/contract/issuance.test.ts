import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ISSUANCE, type Issuance } from '@public-api/contract/keys/issuance'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { checkRegistry } from '@public-api/contract/registry/registry-rules'
import { checkContract } from '../../scripts/contract-check.ts'
import { outlineContract, OWN_CONTRACT } from '../../scripts/contract-outline.ts'

const ROOT_DIR = fileURLToPath(new URL('../..', import.meta.url))

const OPEN = {
  enabled: true,
  approvedBy: 'the owner',
  approvedAt: '2027-01-31',
  reference: 'decision 12',
} as const satisfies Issuance

const faultsOf = (issuance: Issuance) => checkRegistry(ENDPOINTS, { issuance })

/** TypeScript files of the repository's own, by their path from the root. */
function sourceFiles(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT_DIR, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|mjs|js)$/.test(entry.name))
    .map((entry) => path.relative(ROOT_DIR, path.join(entry.parentPath, entry.name)))
    .toSorted()
}

const read = (file: string) => readFileSync(path.join(ROOT_DIR, file), 'utf8')
/** Source without its comments, in which anything may be said. */
const codeOf = (file: string) =>
  read(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|[ \t])\/\/.*$/gm, '$1')

const PACKAGES = ['contract', 'cli-kit', 'client/src', 'cli/src'].flatMap((folder) =>
  sourceFiles(`packages/${folder}`),
)
const PROGRAM = [...sourceFiles('src'), ...PACKAGES, ...sourceFiles('scripts')]

describe('the pause is a literal that nothing else changes', () => {
  test('the registry states the pause and its reason', () => {
    assert.deepEqual(ISSUANCE, { enabled: false, reason: 'PRODUCT_NOT_READY' })
  })

  test('its file has no import, variable, file access or expression', () => {
    const code = codeOf('packages/contract/keys/issuance.ts')
    assert.doesNotMatch(
      code,
      /\bimport\b|\bprocess\b|\brequire\b|\benv\b|\bglobalThis\b|\blet\b|\bvar\b|=>|\?|\|\||&&/,
    )
    assert.match(
      code,
      /export const ISSUANCE: Issuance = \{ enabled: false, reason: 'PRODUCT_NOT_READY' \}\s*$/,
    )
  })

  test('only the app, the doctor and the checks read the literal', () => {
    const readers = PROGRAM.filter(
      (file) => file !== 'packages/contract/keys/issuance.ts' && /\bISSUANCE\b/.test(codeOf(file)),
    )
    assert.deepEqual(readers, [
      'src/app.ts',
      'packages/cli/src/doctor/check-documents.ts',
      'scripts/contract-outline.ts',
    ])
  })

  test('no module imports the namespace, which would hide a use of the literal', () => {
    const importers = PROGRAM.filter((file) => /\/issuance(?:\.ts)?['"]/.test(codeOf(file)))
    assert.ok(importers.length >= 3)
    for (const file of importers) {
      const taken = codeOf(file).match(/^.*\/issuance(?:\.ts)?['"].*$/gm) ?? []
      for (const line of taken) {
        assert.match(
          line,
          /^import (?:type )?\{[ A-Za-z,]+\} from '|^ +const \{ ISSUANCE \} = await import\('/,
          `${file}: ${line}`,
        )
        assert.doesNotMatch(line, /\bas\b/, `${file}: ${line}`)
      }
    }
  })

  test('code that reads the environment, secrets, files and flags does not refer to issuance', () => {
    for (const file of [
      'src/config.ts',
      'src/secrets.ts',
      'src/process/run.ts',
      'src/process/server.ts',
      'src/main.ts',
      'src/process/workers.ts',
      'src/process/admin.ts',
      'src/logger.ts',
      ...sourceFiles('src/storage'),
      ...sourceFiles('src/crypto'),
      ...sourceFiles('src/publishing'),
    ]) {
      assert.doesNotMatch(codeOf(file), /\bissuance\b/i, file)
    }
  })

  test('the program composes the app for the service and for drafts, without an issuance option', () => {
    const composers = sourceFiles('src').filter((file) =>
      /\bcreateAppComposer\(/.test(codeOf(file)),
    )
    assert.deepEqual(composers, [
      'src/app.ts',
      'src/copy/copy-source.ts',
      'src/preview/open-preview.ts',
      'src/process/server.ts',
    ])
    const [call = ''] =
      /^( *)const compose = createAppComposer\(\{[\s\S]*?\n\1\}\)/m.exec(
        codeOf('src/process/server.ts'),
      ) ?? []
    assert.match(call, /apiKeys/)
    // Nothing is spread into it either, in which such a word could come along; nor another registry or handler.
    assert.doesNotMatch(call, /\.\.\.|issuance|registry|extraHandlers/i)
  })

  test("the pipeline reads the registry's literal for every row that issues", () => {
    const readers = PROGRAM.filter((file) => /issuance\.enabled\b/.test(codeOf(file)))
    assert.deepEqual(readers, [
      'src/http/pipeline.ts',
      'src/pages/reference/challenge-section.ts',
      'src/pages/reference/reference-about.ts',
      'packages/contract/documents/openapi.ts',
      'packages/contract/registry/registry-rules.ts',
    ])
    const issuing = Object.entries(ENDPOINTS).filter(([, row]) => 'issuesKeys' in row)
    assert.deepEqual(
      issuing.map(([name]) => name),
      ['createKey'],
    )
    // Who can make a key at all: the service's own and its handler.
    const makers = sourceFiles('src').filter((file) => /\.issue\(\{/.test(codeOf(file)))
    assert.deepEqual(makers, ['src/routes/handlers.ts'])
  })

  test('no page, document or schema opens issuance', () => {
    for (const file of PROGRAM) {
      assert.doesNotMatch(codeOf(file), /enabled:\s*true\s*,\s*approvedBy:\s*['"]/, file)
    }
  })
})

describe('lifting the pause needs an approval on record', () => {
  test('a complete record is valid', () => {
    assert.deepEqual(faultsOf(OPEN), [])
  })

  test('it has an approver', () => {
    for (const approvedBy of ['', ' ', '\t\n', '\u00a0']) {
      assert.deepEqual(faultsOf({ ...OPEN, approvedBy }), [
        'issuance: open, but approvedBy is empty',
      ])
    }
  })

  test('it names the decision', () => {
    for (const reference of ['', ' ', '\t\n', '\u00a0']) {
      assert.deepEqual(faultsOf({ ...OPEN, reference }), ['issuance: open, but reference is empty'])
    }
  })

  test('its date exists and is ISO 8601', () => {
    for (const approvedAt of [
      '',
      ' ',
      'today',
      'TBD',
      '2027',
      '2027-01',
      '2027-1-31',
      '27-01-31',
      '31.01.2027',
      '01/31/2027',
      '20270131',
      '2027-W05-1',
      '2027-031',
      '2027-02-29',
      '2027-02-30',
      '2027-13-01',
      '2027-00-10',
      '2027-01-00',
      '2027-01-32',
      '2027-01-31T00:00:00Z',
      '2027-01-31 ',
      ' 2027-01-31',
      '2027-01-31\n',
      '+002027-01-31',
      '２０２７-01-31',
    ]) {
      assert.deepEqual(faultsOf({ ...OPEN, approvedAt }), [
        `issuance: approvedAt is "${approvedAt}"; expected an ISO 8601 date`,
      ])
    }
    for (const approvedAt of ['2028-02-29', '2027-12-31']) {
      assert.deepEqual(faultsOf({ ...OPEN, approvedAt }), [])
    }
  })

  test('reports all mistakes together', () => {
    assert.equal(
      faultsOf({ enabled: true, approvedBy: '', approvedAt: 'soon', reference: ' ' }).length,
      3,
    )
  })

  test('a pause requires a reason', () => {
    for (const reason of ['', ' ']) {
      assert.deepEqual(faultsOf({ enabled: false, reason }), ['issuance: paused without a reason'])
    }
  })

  // The compiler refuses such a literal; a cast, or a table that was read from somewhere, would get this far.
  test('a record with a missing or mistyped member is invalid', () => {
    for (const name of ['approvedBy', 'approvedAt', 'reference'] as const) {
      const { [name]: _, ...rest } = OPEN
      for (const record of [rest, { ...OPEN, [name]: null }, { ...OPEN, [name]: 1 }]) {
        let faults: readonly string[]
        try {
          faults = faultsOf(record as Issuance)
        } catch {
          // Not a valid registry either: neither the check nor an app gets past it.
          continue
        }
        assert.notDeepEqual(faults, [], `${name} ${JSON.stringify(record)}`)
      }
    }
  })

  test('reports a missing member by name', () => {
    for (const name of ['approvedBy', 'approvedAt', 'reference'] as const) {
      const { [name]: _, ...rest } = OPEN
      const faults = faultsOf(rest as unknown as Issuance)
      assert.ok(
        faults.some((fault) => fault.includes(name)),
        name,
      )
    }
  })
})

describe('enabling issuance is a new version of the contract', () => {
  const outline = (issuance: Issuance, registryVersion: string) =>
    outlineContract({ ...OWN_CONTRACT, issuance, registryVersion }, [])
  const check = (issuance: Issuance, registryVersion: string) =>
    checkContract({
      baseline: outline(ISSUANCE, '1.0.0'),
      current: outline(issuance, registryVersion),
      nowMs: 0,
    })

  test('the check reports it and requires a minor version', () => {
    const { changes, faults } = check(OPEN, '1.0.1')
    assert.deepEqual(
      changes.map(({ class: each, place }) => `${each} ${place}`),
      ['additive issuance'],
    )
    assert.match(faults.join(), /expected 1\.1\.0 or higher/)
    assert.deepEqual(check(OPEN, '1.1.0').faults, [])
  })

  test('every member of the approval is part of the contract', () => {
    for (const change of [
      { approvedBy: 'somebody else' },
      { approvedAt: '2027-02-01' },
      { reference: 'decision 13' },
    ]) {
      const { changes } = checkContract({
        baseline: outline(OPEN, '1.1.0'),
        current: outline({ ...OPEN, ...change }, '1.1.0'),
        nowMs: 0,
      })
      assert.deepEqual(
        changes.map(({ class: each, place }) => `${each} ${place}`),
        ['text issuance'],
      )
    }
  })

  test('pausing it again breaks a beta endpoint', () => {
    const { changes } = checkContract({
      baseline: outline(OPEN, '1.1.0'),
      current: outline(ISSUANCE, '1.2.0'),
      nowMs: 0,
    })
    assert.deepEqual(
      changes.map(({ class: each }) => each),
      ['beta'],
    )
  })
})
