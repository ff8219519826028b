import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT_DIR = fileURLToPath(new URL('../../', import.meta.url))

/** Folders with Markdown of ours; without installed packages and generated files. */
const DOCUMENT_FOLDERS = [
  '.',
  'docs',
  'packages/client',
  'packages/mcp',
  'clients/python',
  'clients/go',
  'test/vectors',
]

const documents = DOCUMENT_FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT_DIR, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join(folder, name)),
)

function read(document: string): string {
  return readFileSync(path.join(ROOT_DIR, document), 'utf8')
}

/** The text without its blocks of code, where brackets are not links and # is not a heading. */
function prose(document: string): string {
  return read(document).replace(/^( *)```[\s\S]*?^\1```$/gm, '')
}

/** The anchor that a heading gets where Markdown is shown: lower case, no punctuation, hyphens for spaces. */
function anchorOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\-_ ]/gu, '')
    .replaceAll(' ', '-')
}

function anchorsOf(document: string): ReadonlySet<string> {
  return new Set(
    [...prose(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)),
  )
}

interface Link {
  readonly document: string
  readonly label: string
  /** Path from the root of the repository. */
  readonly file: string
  readonly anchor: string
}

function linksOf(document: string): readonly Link[] {
  const links = [
    ...prose(document).matchAll(/\[([^\]]+)\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]*))?\)/g),
  ]
  return links.map(([, label = '', target = '', anchor = '']) => ({
    document,
    label,
    file: target === '' ? document : path.posix.join(path.posix.dirname(document), target),
    anchor,
  }))
}

const links = documents.flatMap(linksOf)

void test('every link in every document leads to a file, and to a heading in it', () => {
  assert.ok(documents.length >= 10 && links.length > 80, `${documents.length}, ${links.length}`)
  const dead = links.filter(
    ({ file, anchor }) =>
      !existsSync(path.join(ROOT_DIR, file)) || (anchor !== '' && !anchorsOf(file).has(anchor)),
  )
  assert.deepEqual(dead, [])
})

void test('a link whose text is a path leads to that path', () => {
  const named = links.filter(({ label }) => /^`[\w./-]+(?:\.ts|\/)`$/.test(label))
  assert.ok(named.length > 30)
  const other = named.filter(
    ({ label, file }) => !`${file}/`.includes(label.replace(/`|\/?`$/g, '')),
  )
  assert.deepEqual(other, [])
})

void test('every repository path in code marks exists', () => {
  const folders = new Set(
    readdirSync(ROOT_DIR).filter((name) => statSync(path.join(ROOT_DIR, name)).isDirectory()),
  )
  // Made where they are used, and kept out of the repository.
  for (const made of ['data', 'secrets', 'node_modules']) folders.delete(made)
  const paths = documents.flatMap((document) =>
    [...prose(document).matchAll(/`([\w-]+)\/([\w./-]+)`/g)]
      .filter(([, folder = '']) => folders.has(folder))
      .map(([, folder = '', rest = '']) => ({ document, file: `${folder}/${rest}` })),
  )
  assert.ok(paths.length > 20, `${paths.length}`)
  assert.deepEqual(
    paths.filter(({ file }) => !existsSync(path.join(ROOT_DIR, file))),
    [],
  )
})

void test('the folder map of ARCHITECTURE.md matches src', () => {
  const map =
    /## The folders\n+(?:<!--.*-->\n)?```\n([\s\S]*?)\n```/.exec(read('ARCHITECTURE.md'))?.[1] ?? ''
  const inSrc = /^src\/\n((?: {2}.*\n)+)/m.exec(map)?.[1] ?? ''
  const listed = [...inSrc.matchAll(/(?:^ {2}|; )([\w-]+(?:\/|\.(?:ts|mjs))) /gm)].map(
    ([, name = '']) => name,
  )
  const there = readdirSync(path.join(ROOT_DIR, 'src'), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : entry.name,
  )
  assert.deepEqual(listed.toSorted(), there.toSorted())

  for (const [, folder = ''] of map.matchAll(/^([\w-][\w/-]*?)\/? /gm))
    assert.ok(existsSync(path.join(ROOT_DIR, folder)), `${folder} is there`)
})

void test('every file that a comment names is there', () => {
  const places = ['src', 'packages', 'scripts', 'bench', 'test']
  const files = places.flatMap((place) =>
    readdirSync(path.join(ROOT_DIR, place), { recursive: true, encoding: 'utf8' })
      .filter((file) => !/(?:^|\/)(?:node_modules|dist)\//.test(file))
      .map((file) => `/${place}/${file}`),
  )
  const others = ['clients', 'deploy', 'docs'].flatMap((place) =>
    readdirSync(path.join(ROOT_DIR, place), { recursive: true, encoding: 'utf8' }).map(
      (file) => `/${place}/${file}`,
    ),
  )
  const named = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const comments = read(file).match(/(?:^|\s)(?:\/\/.*|\/\*\*[^]*?\*\/)/g) ?? []
      return comments
        .join('\n')
        .matchAll(/(?<![\w/:.@-])(?:[\w-]+\/)*[\w-]+\.(?:ts|mjs|go|py|sh)\b/g)
        .map(([name]) => ({ file, name }))
        .toArray()
    })
  assert.ok(named.length > 10, `${named.length}`)
  const all = [...files, ...others]
  assert.deepEqual(
    named.filter(({ name }) => !all.some((each) => each.endsWith(`/${name}`))),
    [],
  )
})
