import { fileURLToPath } from 'node:url'
import { format } from 'oxfmt'
import { buildVectors } from '../test/vectors/build-vectors.ts'
import { buildFallbackVectors } from '../test/vectors/fallback-vectors.ts'
import { HISTORY_VECTORS } from '../test/vectors/history-vectors.ts'
import { buildIntegrityVectors } from '../test/vectors/integrity-vectors.ts'
import { buildKeyVectors } from '../test/vectors/key-vectors.ts'
import { buildLogVectors } from '../test/vectors/log-vectors.ts'
import {
  driftLines,
  printWritten,
  withRemoved,
  writeFiles,
  type GeneratedFile,
} from './generated-files.ts'
import { runScript } from './script-main.ts'

const ROOT_DIR = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = 'test/vectors'
const COMMAND = 'npx node scripts/write-vectors.ts'
const HELP = `Usage: npx node scripts/write-vectors.ts

Writes the signature vectors in test/vectors from what the app answers. npm run check -- vectors compares without writing.

Exit code: 0 done, 2 wrong usage.
`

/** The vector files from the app's responses. */
async function vectorFiles(): Promise<readonly GeneratedFile[]> {
  const vectors: readonly (readonly [name: string, vector: unknown])[] = [
    ...(await buildVectors()),
    ...[...HISTORY_VECTORS].map(([name, vector]) => [`history/${name}`, vector] as const),
    ...[...buildFallbackVectors()].map(([name, vector]) => [`fallback/${name}`, vector] as const),
    ...[...(await buildKeyVectors())].map(([name, vector]) => [`keys/${name}`, vector] as const),
    ...[...(await buildIntegrityVectors())].map(
      ([name, vector]) => [`integrity/${name}`, vector] as const,
    ),
    ...[...(await buildLogVectors())].map(([name, vector]) => [`log/${name}`, vector] as const),
  ]
  const files = vectors.map(async ([name, vector]) => {
    const { code } = await format('vector.json', JSON.stringify(vector, null, 2), {
      printWidth: 100,
    })
    return { file: `${FOLDER}/${name}.json`, text: code }
  })
  return withRemoved(ROOT_DIR, FOLDER, await Promise.all(files), '.json')
}

/** One line for each vector file that differs from the app's responses. */
export async function findVectorDrift(): Promise<readonly string[]> {
  return driftLines(ROOT_DIR, await vectorFiles(), COMMAND)
}

await runScript(import.meta, {
  help: HELP,
  async run() {
    return printWritten(writeFiles(ROOT_DIR, await vectorFiles()))
  },
})
