import { propertyOf } from '../contract/property-of.ts'
import { isPortable, isPublishedKey, type PortableAnswer } from './portable-answer.ts'
import type { PublishedKey } from './verification-key.ts'
import { MAX_KEYS } from './signing-keys.ts'

/** What is kept from one audit to the next: the signed answer that said which version is the newest. */
export interface SavedHead {
  /** The answer to GET /api/v1/version. */
  readonly answer: PortableAnswer
  /** The keys of the service at the time. */
  readonly keys: readonly PublishedKey[]
}

/**
 * Keeps one head. `save` replaces what was kept, as a whole or not at all; what it resolved for, a later `load` gives.
 * `load` gives undefined only where nothing was ever saved: where something was and cannot be read it rejects, since
 * an audit without its head would take a rewritten history for a first one.
 */
export interface HeadStore {
  load(): Promise<SavedHead | undefined>
  save(head: SavedHead): Promise<void>
}

function isSavedHead(value: unknown): value is SavedHead {
  const keys = propertyOf(value, 'keys')
  return (
    Array.isArray(keys) &&
    keys.length <= MAX_KEYS &&
    keys.every(isPublishedKey) &&
    isPortable(propertyOf(value, 'answer'))
  )
}

/** Reads a head from the JSON that a store kept. `where` names the place in a TypeError. */
export function parseSavedHead(text: string, where: string): SavedHead {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (!isSavedHead(value)) {
    throw new TypeError(`${where}: expected the JSON of a head that an audit saved`)
  }
  return value
}

/** Keeps the head in a browser's localStorage, or another Storage, under a name of its own. */
export function createLocalStorageHeadStore(
  name: string,
  storage: Pick<Storage, 'getItem' | 'setItem'> = localStorage,
): HeadStore {
  return {
    async load() {
      const text = storage.getItem(name)
      return text === null ? undefined : parseSavedHead(text, name)
    },
    async save(head) {
      storage.setItem(name, JSON.stringify(head))
    },
  }
}
