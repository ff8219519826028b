import fs from 'node:fs'
import path from 'node:path'

/** All files below a folder with their text. */
export function readCopy(folder: string): ReadonlyMap<string, string> {
  return new Map(
    fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(folder, file), fs.readFileSync(file, 'latin1')] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** What a file must find beside it: one of these names each. */
type Needs = readonly (readonly string[])[]

const NEEDS_OF_PAGES = new Map<string, Needs>()

function needsOfPage(text: string): Needs {
  const known = NEEDS_OF_PAGES.get(text)
  if (known !== undefined) return known
  // The same page in another language is moved at another moment.
  const own = text.replaceAll(/<a [^>]*hreflang=[^>]*>/g, '')
  const all = (pattern: RegExp) => [...own.matchAll(pattern)]
  const needs = [
    ...all(/ (?:href|src|data-index)="\/([^"/#?][^"#?]*)/g).map(([, address = '']) => [
      address,
      `${address}/index.html`,
    ]),
    ...all(/data-resource="([^"]+)" data-digest="([^"]+)"/g).map(([, name, digest]) => [
      `archive/resources/${name}/${digest}.json`,
    ]),
    ...all(/data-version="(VS-\d+)"/g).map(([, id]) => [`archive/versions/${id}.json`]),
  ]
  NEEDS_OF_PAGES.set(text, needs)
  return needs
}

/** What the files of a copy name and the copy does not have. */
export function missingIn(files: ReadonlyMap<string, string>): readonly string[] {
  const missing: string[] = []
  const need = (by: string, ...names: readonly string[]) => {
    if (!names.some((name) => files.has(name))) missing.push(`${by}: ${names[0]}`)
  }
  for (const [file, text] of files) {
    if (!file.endsWith('.html')) continue
    for (const names of needsOfPage(text)) need(file, ...names)
  }
  const index = files.get('archive/versions.json')
  const { versions } = JSON.parse(index ?? '{"versions":[]}') as { versions: readonly string[] }
  for (const id of versions) need('versions.json', `archive/versions/${id}.json`)
  for (const id of versions) {
    const entry = JSON.parse(files.get(`archive/versions/${id}.json`) ?? '{"resources":{}}') as {
      resources: { readonly [name: string]: string }
    }
    for (const [name, digest] of Object.entries(entry.resources)) {
      const resource = `archive/resources/${name}/${digest}`
      need(id, `${resource}.json`, `${resource}.redacted.json`)
    }
  }
  const size = files.get('log/checkpoint')?.split('\n')[1]
  if (size !== undefined) need('log/checkpoint', `log/tile/0/000.p/${size}`)
  return missing
}
