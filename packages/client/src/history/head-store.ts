import { propertyOf } from '#contract/json/property-of'
import { isKeyList, isListOf, isPortable, type PortableResponse } from '../portable-response.ts'
import { MAX_KEYS } from '../signing-keys.ts'
import type { PublishedKey } from '../verification-key.ts'

/** What one audit saves for the next: the signed response that named the newest version. */
export interface SavedHead {
  /** Origin of the service. Missing if an earlier release of this library saved the head. */
  readonly origin?: string
  /** Response to GET /api/v1/version. */
  readonly response: PortableResponse
  /** The keys of the service at the time. */
  readonly keys: readonly PublishedKey[]
  /** Ids of all keys that the audits of this service have seen. */
  readonly keyIds?: readonly string[]
  /** Response of the signing-key endpoint at the time, which links a later key to the key that signed then. */
  readonly keyDocument?: PortableResponse
  /** False if the audit that saw this head did not settle. The next audit reads all of its versions. */
  readonly isAudited?: boolean
  /** Responses of audits that did not settle. The next audit compares the history with them too. */
  readonly unsettled?: readonly PortableResponse[]
  /** Where `svc audit --pin-from` read the pinned key IDs. */
  readonly pinFrom?: string
  /** The checkpoints that `svc audit --policy` verified, one a log. */
  readonly checkpoints?: readonly string[]
}

/** Maximum number of unsettled responses. A contradiction has up to two. */
export const MAX_UNSETTLED = 4
/** As many logs as a policy may have. */
const MAX_CHECKPOINTS = 64

/**
 * Stores one head. `save` replaces the stored head atomically. `load` resolves to undefined only if no head was ever
 * saved. It rejects if a stored head cannot be read, because an audit without it would accept a rewritten history.
 */
export interface HeadStore {
  /** Loads the stored head. */
  load(): Promise<SavedHead | undefined>
  /** Replaces the stored head. */
  save(head: SavedHead): Promise<void>
}

const isText = (value: unknown): boolean => typeof value === 'string'

/** Each member of a stored head; those without `!` may be missing. */
const MEMBERS: { readonly [member: string]: (value: unknown) => boolean } = {
  origin: isText,
  'response!': isPortable,
  // Those of a contradiction: the keys of the service then and now.
  'keys!': (value) => isKeyList(value, 2 * MAX_KEYS),
  keyIds: (value) => isListOf(value, Infinity, isText),
  keyDocument: isPortable,
  isAudited: (value) => typeof value === 'boolean',
  unsettled: (value) => isListOf(value, MAX_UNSETTLED, isPortable),
  pinFrom: isText,
  checkpoints: (value) => isListOf(value, MAX_CHECKPOINTS, isText),
}

function isSavedHead(head: unknown): head is SavedHead {
  return Object.entries(MEMBERS).every(([member, isValid]) => {
    const value = propertyOf(head, member.replace('!', ''))
    return (value === undefined && !member.endsWith('!')) || isValid(value)
  })
}

/** Parses a stored head. Throws a TypeError that names `where` the text came from. */
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

/** The part of the Web Storage API that is used. Declared here, because workers have no Storage type. */
export interface TextStorage {
  /** Returns the text stored under a name, or null. */
  getItem(name: string): string | null
  /** Stores a text under a name. */
  setItem(name: string, text: string): void
}

/**
 * Stores the head in a browser's localStorage, or another Storage, under the given name.
 *
 * @example
 * ```ts
 * const report = await auditHistory({ client, store: createLocalStorageHeadStore('audit-head') })
 * ```
 */
export function createLocalStorageHeadStore(
  name: string,
  storage: TextStorage = localStorage,
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
