import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildVectors } from '../test/vectors/build-vectors.ts'
import { HISTORY_VECTORS } from '../test/vectors/history-vectors.ts'
import { buildKeyVectors } from '../test/vectors/key-vectors.ts'
import { buildLogVectors } from '../test/vectors/log-vectors.ts'
import { runScript } from './script-main.ts'

const FOLDER = fileURLToPath(new URL('../test/vectors/', import.meta.url))
const HELP = `Usage: npx node scripts/write-vectors.ts [--check]

Writes the signature vectors in test/vectors from what the app answers.
  --check   write nothing; list the files that would change

Exit code: 0 done or up to date, 1 files differ, 2 wrong usage.
`
/** As wide as the formatter lets a line be. */
const LINE_WIDTH = 100

/** A list of texts, or a list of one such list, on one line; undefined for anything else. */
function formatOnOneLine(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined
  const items: readonly unknown[] = value
  const texts = items.map((item) =>
    typeof item === 'string' || item === null
      ? JSON.stringify(item)
      : items.length === 1
        ? formatOnOneLine(item)
        : undefined,
  )
  return texts.every((text) => text !== undefined) ? `[${texts.join(', ')}]` : undefined
}

/** JSON as formatted by oxfmt: two spaces, and a list of texts on one line if it fits. `column` is its start. */
function formatJson(value: unknown, indent = '', column = indent.length): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const line = formatOnOneLine(value)
  // One more for the comma after it.
  if (line !== undefined && column + line.length < LINE_WIDTH) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const items = value.map((item) => `${inner}${formatJson(item, inner)}`)
    return `[\n${items.join(',\n')}\n${indent}]`
  }
  if (Object.keys(value).length === 0) return '{}'
  const members = Object.entries(value).map(([name, member]) => {
    const start = `${inner}${JSON.stringify(name)}: `
    return `${start}${formatJson(member, inner, start.length)}`
  })
  return `{\n${members.join(',\n')}\n${indent}}`
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(path.join(FOLDER, file), 'utf8')
  } catch {
    return undefined
  }
}

/** The vector files that differ from the app's responses, with their new content; undefined for files to delete. */
export async function findVectorDrift(): Promise<ReadonlyMap<string, string | undefined>> {
  const drift = new Map<string, string | undefined>()
  const vectors = new Map<string, unknown>(await buildVectors())
  for (const [name, vector] of HISTORY_VECTORS) vectors.set(`history/${name}`, vector)
  for (const [name, vector] of await buildKeyVectors()) vectors.set(`keys/${name}`, vector)
  for (const [name, vector] of await buildLogVectors()) vectors.set(`log/${name}`, vector)
  for (const [name, vector] of vectors) {
    const text = `${formatJson(vector)}\n`
    if (readText(`${name}.json`) !== text) drift.set(`${name}.json`, text)
  }
  for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.json') && !vectors.has(file.slice(0, -'.json'.length))) {
      drift.set(file, undefined)
    }
  }
  return drift
}

/** A drift as lines for a person, each with what to do. */
export function vectorLines(drift: ReadonlyMap<string, unknown>): readonly string[] {
  return [...drift.keys()].map(
    (file) =>
      `test/vectors/${file} is not what the app answers; run npx node scripts/write-vectors.ts`,
  )
}

function writeVectors(drift: Awaited<ReturnType<typeof findVectorDrift>>): void {
  for (const [file, text] of drift) {
    if (text === undefined) rmSync(path.join(FOLDER, file))
    else {
      mkdirSync(path.dirname(path.join(FOLDER, file)), { recursive: true })
      writeFileSync(path.join(FOLDER, file), text)
    }
    process.stdout.write(`${text === undefined ? 'Removed' : 'Wrote'} ${file}\n`)
  }
}

await runScript(import.meta, {
  help: HELP,
  options: { check: { type: 'boolean' } },
  async run({ values }) {
    const drift = await findVectorDrift()
    if (drift.size === 0) {
      process.stdout.write('Up to date.\n')
    } else if (values.check === true) {
      for (const line of vectorLines(drift)) process.stderr.write(`${line}\n`)
      return 1
    } else {
      writeVectors(drift)
    }
    return 0
  },
})
