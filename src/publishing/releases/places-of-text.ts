import fs from 'node:fs'
import path from 'node:path'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { parseJson } from '@public-api/contract/json/parse-json'
import { ReleaseFileError, type ReleaseStore } from '../../releases/release-store.ts'
import { createSearchText } from '../rules/search-text.ts'
import { readVersions } from './published-versions.ts'

/** Where a text that is about to be removed stands, too. */
export interface PlaceOfText {
  /** `note`: the note of a version, which can never be removed. `resource`: another published one. `file`: a file. */
  readonly kind: 'note' | 'resource' | 'file'
  /** A version, versions with a resource, or a path. */
  readonly place: string
  /** The text, or what of it was found. */
  readonly text: string
}

/** The form in which texts are compared: every spelling that the leak guard sees as one, without case and line breaks. */
export function normalizeText(text: string): string {
  return createSearchText(text).text.replaceAll(/\s+/g, ' ').toLowerCase()
}

/** Names of members that have a text of their own even where it is a single word. */
const TEXT_MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'name',
  'title',
  'summary',
  'text',
  'description',
])
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** Shorter texts stand everywhere. */
const MIN_LENGTH = 4
/** What two texts share is a part of one of them if it has so many characters; of scripts without spaces, fewer. */
const MIN_SHARED = 16
const MIN_SHARED_OTHER = 8
/** A longer file is not a text. */
const MAX_FILE_BYTES = 16 * 1024 * 1024

function* textsIn(value: JsonValue, member = ''): Generator<string, void> {
  if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value) as [string, JsonValue][]) {
      yield* textsIn(inner, Array.isArray(value) ? member : name)
    }
  } else if (
    typeof value === 'string' &&
    value.length >= MIN_LENGTH &&
    !INSTANT.test(value) &&
    (TEXT_MEMBERS.has(member) || /[^\x21-\x7e]/.test(value))
  ) {
    yield value
  }
}

/** The texts of one resource that another one, if there is one, no longer has. Enumerations and times do not count. */
export function removedTexts(removed: JsonValue, kept: JsonValue | undefined): readonly string[] {
  const known = new Set(kept === undefined ? [] : textsIn(kept))
  return [...new Set(textsIn(removed))].filter((text) => !known.has(text))
}

/** The longest part that a short text shares with one of others, if it is long enough to be no coincidence. */
function sharedPart(text: string, others: readonly string[]): string | undefined {
  const size = /^[\x20-\x7e]*$/.test(text) ? MIN_SHARED : MIN_SHARED_OTHER
  for (let start = 0; start + size <= text.length; start += 1) {
    const part = text.slice(start, start + size)
    if (others.some((other) => other.includes(part))) return part.trim()
  }
  return undefined
}

/** A whole text within another one; a word that continues is another word. */
function hasText(text: string, needle: string): boolean {
  const isWord = (character: string | undefined) => /^[a-z0-9]$/.test(character ?? '')
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
    const [before, after] = [text[at - 1], text[at + needle.length]]
    if (isWord(before) && isWord(needle[0])) continue
    if (isWord(after) && isWord(needle.at(-1))) continue
    return true
  }
  return false
}

function* filesBelow(folder: string): Generator<string, void> {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== '.git') yield* filesBelow(file)
    else if (entry.isFile() && fs.statSync(file).size <= MAX_FILE_BYTES) yield file
  }
}

/**
 * Every other place of texts that a redaction removes: notes of versions and their other resources, and the files of some
 * folders (the content, copies of the service). Throws a PublishError if the history is damaged, and the error of the system
 * for a folder that cannot be read.
 */
export function placesOfTexts(
  store: ReleaseStore,
  texts: readonly string[],
  removed: { readonly resource: string; readonly digest: string },
  folders: readonly string[],
): readonly PlaceOfText[] {
  const needles = texts.map((text) => ({ text, needle: normalizeText(text).trim() }))
  const longer = needles.map(({ needle }) => needle)
  const find = (text: string) => needles.find(({ needle }) => hasText(text, needle))?.text
  const places: PlaceOfText[] = []
  const resources = new Map<string, { name: string; digest: string; ids: string[] }>()
  for (const { snapshotId, note, resources: published } of readVersions(store)) {
    const normalized = normalizeText(note)
    const found = find(normalized) ?? sharedPart(normalized, longer)
    if (found !== undefined) places.push({ kind: 'note', place: snapshotId, text: found })
    for (const [name, digest] of Object.entries(published)) {
      if (name === removed.resource && digest === removed.digest) continue
      const key = `${name}/${digest}`
      const known = resources.get(key) ?? { name, digest, ids: [] }
      known.ids.push(snapshotId)
      resources.set(key, known)
    }
  }
  for (const { name, digest, ids } of resources.values()) {
    let value: JsonValue
    try {
      value = parseJson(store.readResourceText(name, digest)) as JsonValue
    } catch (error) {
      if (!(error instanceof ReleaseFileError)) throw error
      continue
    }
    const found = [...textsIn(value)].map((text) => find(normalizeText(text)))
    const text = found.find((each) => each !== undefined)
    const last = ids.length > 1 ? ` to ${ids.at(-1)}` : ''
    if (text !== undefined)
      places.push({ kind: 'resource', place: `${ids[0]}${last} ${name}`, text })
  }
  for (const file of folders.flatMap((folder) => [...filesBelow(folder)])) {
    const text = find(normalizeText(fs.readFileSync(file, 'utf8')))
    if (text !== undefined) places.push({ kind: 'file', place: file, text })
  }
  return places
}
