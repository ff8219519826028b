import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { ENDPOINTS, REGISTRY_VERSION } from '../src/contract/endpoints.ts'
import { ISSUANCE } from '../src/contract/issuance.ts'
import { createOpenApi } from '../src/documents/openapi.ts'
import { createPolicy } from '../src/documents/policy.ts'
import { contractTextsOf, type ContractTranslations } from '../src/pages/contract-texts.ts'
import { findAssetDrift, writeAssets } from './build-assets.ts'
import { contractDigest, OWN_TABLES, type ContractTables } from './contract-digest.ts'
import {
  parseRegistryVersions,
  recordRegistryVersion,
  RegistryVersionError,
} from './registry-versions.ts'
import { runScript } from './script-main.ts'

const VERSIONS_FILE = 'docs/api/registry-versions.json'
const TEXTS_FILE = 'locales/contract.json'
const READ_PATHS_FILE = 'src/contract/read-paths.ts'
const BASE_URL = 'http://127.0.0.1:8080'

const HELP = `Usage: npm run generate [-- --check]

Writes what follows from the contract's tables into docs/api and locales, and the scripts of the pages into assets:
  openapi.json             the OpenAPI document of a production runtime at ${BASE_URL}
  policy.json              the policy document (the data member of GET /api/v1/policy)
  registry-versions.json   each registry version with the digest of the contract it stands for; only ever appended to
  locales/contract.json    the texts of the tables, with the translations that they have; what is new waits for them there
  src/contract/read-paths.ts   the path of each read, for the client
  assets/*                 src/browser and the ALTCHA widget, each as one minified file

  --check   compares without writing; names each file that drifted and the first line that differs
  --help    this text

Exit code: 0 done, 1 a file drifted or the registry version must be raised, 2 wrong usage.
`

/** The contract that files are generated from. */
export interface GeneratedContract extends ContractTables {
  readonly registryVersion: string
}

/** The contract of this service. */
export const OWN_CONTRACT: GeneratedContract = {
  ...OWN_TABLES,
  registry: ENDPOINTS,
  issuance: ISSUANCE,
  registryVersion: REGISTRY_VERSION,
}

/** A generated file: its path below the root of the repository, and its text. */
interface GeneratedFile {
  readonly file: string
  readonly text: string
}

function readText(rootDir: string, file: string): string | undefined {
  try {
    return readFileSync(path.join(rootDir, file), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** The documents as they should stand in their files. */
function documentFiles(contract: GeneratedContract): readonly GeneratedFile[] {
  const options = { ...contract, runtime: 'production', baseUrl: BASE_URL } as const
  return [
    { file: 'docs/api/openapi.json', text: formatJson(createOpenApi(options)) },
    { file: 'docs/api/policy.json', text: formatJson(createPolicy(options)) },
  ]
}

/**
 * The recorded versions with the current one among them. Throws a RegistryVersionError when the contract changed under
 * a version that is recorded already.
 */
function versionsFile(rootDir: string, contract: GeneratedContract): GeneratedFile {
  const recorded = parseRegistryVersions(readText(rootDir, VERSIONS_FILE) ?? '[]')
  const { registryVersion } = contract
  const current = { registryVersion, contractDigest: contractDigest(contract) }
  return { file: VERSIONS_FILE, text: formatJson(recordRegistryVersion(recorded, current)) }
}

/** The texts of the tables with the translations that they have; those of texts that are gone are dropped. */
function textsFile(rootDir: string, contract: GeneratedContract): GeneratedFile {
  const known = JSON.parse(readText(rootDir, TEXTS_FILE) ?? '{}') as ContractTranslations
  const texts = contractTextsOf(contract).map((english) => [
    english,
    Object.hasOwn(known, english) ? known[english] : {},
  ])
  return { file: TEXTS_FILE, text: formatJson(Object.fromEntries(texts)) }
}

/** The path of each read, in a module without the texts of the registry. */
function readPathsFile({ registry }: GeneratedContract): GeneratedFile {
  const paths = Object.entries(registry)
    .filter(([, { method }]) => method === 'GET')
    .map(([name, row]) => `  ${name}: '${row.path}',\n`)
  const text = `// Written by \`npm run generate\` from the registry (endpoints.ts).

/** Path template of every read (GET) endpoint by its name, for clients that must not carry the registry's texts. */
export const READ_PATHS = {
${paths.join('')}} as const
`
  return { file: READ_PATHS_FILE, text }
}

/** Where two texts part, or undefined when they are the same. */
function firstDifference(found: string, expected: string): string | undefined {
  if (found === expected) return undefined
  const foundLines = found.split('\n')
  const expectedLines = expected.split('\n')
  const index = expectedLines.findIndex((line, at) => line !== foundLines[at])
  const at = index === -1 ? expectedLines.length : index
  const show = (line: string | undefined): string =>
    line === undefined ? 'the end of the file' : JSON.stringify(line.trim())
  return `line ${at + 1}: found ${show(foundLines[at])}, expected ${show(expectedLines[at])}`
}

/**
 * Compares the generated files below `rootDir` with the contract. Gives one line for each that drifted, and one for a
 * contract that changed under its registry version; an empty list when all is up to date.
 */
export function findDrift(
  rootDir: string,
  contract: GeneratedContract = OWN_CONTRACT,
): readonly string[] {
  const drift = writtenFiles(rootDir, contract).flatMap((each) => driftOf(rootDir, each))
  try {
    return [...drift, ...driftOf(rootDir, versionsFile(rootDir, contract))]
  } catch (error) {
    if (!(error instanceof RegistryVersionError)) throw error
    return [...drift, `${VERSIONS_FILE}: ${error.message}`]
  }
}

/** All but the recorded versions. */
function writtenFiles(rootDir: string, contract: GeneratedContract): readonly GeneratedFile[] {
  return [...documentFiles(contract), textsFile(rootDir, contract), readPathsFile(contract)]
}

function driftOf(rootDir: string, { file, text }: GeneratedFile): readonly string[] {
  const found = readText(rootDir, file)
  if (found === undefined) return [`${file} is missing; run npm run generate`]
  const difference = firstDifference(found, text)
  return difference === undefined ? [] : [`${file} drifted, ${difference}; run npm run generate`]
}

/** Writes the generated files below `rootDir`; gives the paths of those that changed. Throws a RegistryVersionError. */
export function generate(
  rootDir: string,
  contract: GeneratedContract = OWN_CONTRACT,
): readonly string[] {
  // The versions come first: where they refuse, nothing is written.
  const files = [versionsFile(rootDir, contract), ...writtenFiles(rootDir, contract)]
  const changed = files.filter(({ file, text }) => readText(rootDir, file) !== text)
  for (const { file, text } of changed) {
    const target = path.join(rootDir, file)
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, text)
  }
  return changed.map(({ file }) => file)
}

await runScript(import.meta, {
  help: HELP,
  options: { check: { type: 'boolean' } },
  async run({ values }) {
    const rootDir = fileURLToPath(new URL('..', import.meta.url))
    if (values.check === true) {
      const drift = [...findDrift(rootDir), ...(await findAssetDrift(rootDir))]
      for (const line of drift) process.stderr.write(`${line}\n`)
      return drift.length === 0 ? 0 : 1
    }
    try {
      const changed = [...generate(rootDir), ...(await writeAssets(rootDir))]
      process.stdout.write(
        changed.length === 0 ? 'Up to date.\n' : changed.map((file) => `Wrote ${file}\n`).join(''),
      )
      return 0
    } catch (error) {
      if (!(error instanceof RegistryVersionError)) throw error
      process.stderr.write(`generate: ${error.message}\n`)
      return 1
    }
  },
})
