import { fileURLToPath } from 'node:url'
import { createOpenApi } from '@public-api/contract/documents/openapi'
import { createPolicy } from '@public-api/contract/documents/policy'
import { assetFiles } from './build-assets.ts'
import { completedTranslations, localeFile, readLocaleFiles } from './check-locales.ts'
import { copiedPathsOf } from './client-schemas.ts'
import { createClientTypes } from './client-types.ts'
import { createContentReference } from './content-reference.ts'
import { OWN_CONTRACT, type ContractTables } from './contract-outline.ts'
import { driftLines, printWritten, writeFiles, type GeneratedFile } from './generated-files.ts'
import { createGoTypes } from './go-types.ts'
import { createPythonTypes } from './python-types.ts'
import { runScript } from './script-main.ts'

const READ_PATHS_FILE = 'packages/contract/registry/read-paths.ts'
const CLIENT_TYPES_FILE = 'packages/client/src/resources.ts'
const GO_TYPES_FILE = 'clients/go/resources.go'
const PYTHON_TYPES_FILE = 'clients/python/src/public_api/resources.py'
const COMMAND = 'npm run generate'
const BASE_URL = 'http://127.0.0.1:8080'

const HELP = `Usage: npm run generate

Writes what follows from the contract's tables into docs/api and locales, and the scripts of the pages into assets:
  openapi.json             the OpenAPI document of a production runtime at ${BASE_URL}
  policy.json              the policy document (the data member of GET /api/v1/policy)
  docs/content.md          every file and field of a content folder
  locales/th.json, locales/zh-CN.json   what is there, and each text without a translation with an empty one
  packages/contract/registry/read-paths.ts   the path of each read, for the client
  packages/client/src/resources.ts   the client's types of data and methods, with their documentation
  clients/python/src/public_api/resources.py   the same for the Python client
  clients/go/resources.go  the same for the Go client
  assets/*                 src/browser and the ALTCHA widget, each as one minified file

  --help    this text

npm run check -- generated compares without writing.

Exit code: 0 done, 2 wrong usage.
`

function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** The documents as their files should contain them. */
function documentFiles(contract: ContractTables): readonly GeneratedFile[] {
  const options = { ...contract, runtime: 'production', baseUrl: BASE_URL } as const
  return [
    { file: 'docs/api/openapi.json', text: formatJson(createOpenApi(options)) },
    { file: 'docs/api/policy.json', text: formatJson(createPolicy(options)) },
    { file: 'docs/content.md', text: createContentReference() },
  ]
}

/** The translations in the order of the English texts, with an empty one for each new text. */
function localeFiles(rootDir: string, contract: ContractTables): readonly GeneratedFile[] {
  const files = readLocaleFiles(rootDir, contract)
  return Object.keys(files.translations).map((locale) => ({
    file: localeFile(locale),
    text: formatJson(completedTranslations(locale, files)),
  }))
}

/** The path of each read, in a module without the texts of the registry. */
function readPathsFile({ registry }: ContractTables): GeneratedFile {
  const paths = Object.entries(registry)
    .filter(([, { method }]) => method === 'GET')
    .map(([name, row]) => `  ${name}: '${row.path}',\n`)
  const copied = copiedPathsOf(registry).map((path) => `  '${path}',\n`)
  const text = `// Written by \`npm run generate\` from the registry (endpoints.ts).

/** Path template of every read (GET) endpoint by its name, for clients that must not carry the registry's texts. */
export const READ_PATHS = {
${paths.join('')}} as const

/** Targets that a copy of the service can replace: published resources, and the newest version. */
export const COPIED_PATHS: ReadonlySet<string> = /* @__PURE__ */ new Set([
${copied.join('')}])
`
  return { file: READ_PATHS_FILE, text }
}

/** Compares the generated files below `rootDir` with the contract. Returns one line for each file that drifted. */
export function findDrift(
  rootDir: string,
  contract: ContractTables = OWN_CONTRACT,
): readonly string[] {
  return driftLines(rootDir, writtenFiles(rootDir, contract), COMMAND)
}

/** One line for each file of `assets/` that differs from what src/browser builds. */
export async function findAssetDrift(rootDir: string): Promise<readonly string[]> {
  return driftLines(rootDir, await assetFiles(rootDir), COMMAND)
}

function writtenFiles(rootDir: string, contract: ContractTables): readonly GeneratedFile[] {
  return [
    ...documentFiles(contract),
    ...localeFiles(rootDir, contract),
    readPathsFile(contract),
    { file: CLIENT_TYPES_FILE, text: createClientTypes(contract) },
    { file: GO_TYPES_FILE, text: createGoTypes(contract) },
    { file: PYTHON_TYPES_FILE, text: createPythonTypes(contract) },
  ]
}

/** Writes the generated files below `rootDir`. Returns the paths of those that changed. */
export function generate(
  rootDir: string,
  contract: ContractTables = OWN_CONTRACT,
): readonly string[] {
  return writeFiles(rootDir, writtenFiles(rootDir, contract)).map(({ file }) => file)
}

await runScript(import.meta, {
  help: HELP,
  async run() {
    const rootDir = fileURLToPath(new URL('..', import.meta.url))
    return printWritten(
      writeFiles(rootDir, [...writtenFiles(rootDir, OWN_CONTRACT), ...(await assetFiles(rootDir))]),
    )
  },
})
