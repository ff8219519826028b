// Paths and contents of tiles: c2sp.org/tlog-tiles.

import { LogError } from './log-error.ts'
import { hashNode, HASH_BYTES, type SubtreeHashes } from './merkle-tree.ts'

/** Hashes in a full tile, and entries in a full bundle. */
export const TILE_WIDTH = 256
/** Levels of the tree in one tile: 2^8 = 256. */
export const TILE_HEIGHT = 8
/** Entries have a uint16 length. */
export const MAX_ENTRY_BYTES = 65_535

/** One tile, or bundle of entries. */
export interface Tile {
  /** 0 to 63, or `entries` for a bundle. */
  readonly level: number | 'entries'
  /** Place among the tiles of its level, from 0. */
  readonly index: number
  /** Hashes or entries: 1 to 256. */
  readonly width: number
}

/** The path of a tile below the log's address: `tile/0/x001/x234/067.p/8`. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  const place = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/')
  return `tile/${level}/${place}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

const TILE_PATH =
  /^tile\/(entries|[0-9]|[1-5][0-9]|6[0-3])\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** The tile that a path names; undefined for any other path. Every tile has exactly one path. */
export function parseTilePath(path: string): Tile | undefined {
  const [, level = '', place = '', partial] = TILE_PATH.exec(path) ?? []
  if (level === '') return undefined
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(place.replaceAll(/[x/]/g, '')),
    width: partial === undefined ? TILE_WIDTH : Number(partial),
  }
  return tilePath(tile) === path ? tile : undefined
}

/** Hashes or entries at a tile's level in a tree of `size` leaves. */
function countAt(level: Tile['level'], size: number): number {
  return level === 'entries' ? size : Math.floor(size / TILE_WIDTH ** level)
}

/** Whether a tile has only hashes of the tree of `size` leaves. */
export function isTileOf({ level, index, width }: Tile, size: number): boolean {
  return index * TILE_WIDTH + width <= countAt(level, size)
}

/** The widest tile at a place in a tree of `size` leaves; undefined if it is empty there. */
export function widestTile(level: Tile['level'], index: number, size: number): Tile | undefined {
  const width = Math.min(TILE_WIDTH, countAt(level, size) - index * TILE_WIDTH)
  return width > 0 ? { level, index, width } : undefined
}

/** All tiles and bundles of a tree, each as wide as the tree makes it. */
export function* tilesOf(size: number): Generator<Tile> {
  const levels = ['entries' as const, ...Array(MAX_TILE_LEVEL + 1).keys()]
  for (const level of levels) {
    for (let index = 0; ; index += 1) {
      const tile = widestTile(level, index, size)
      if (tile === undefined) break
      yield tile
    }
  }
}

/** Level 6 begins at 256^6 = 2^48 leaves; a level 7 would begin above the safe integers. */
const MAX_TILE_LEVEL = 6

/** The bytes of a bundle: each entry after its length in two bytes. */
export function formatBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(entries.reduce((sum, { length }) => sum + 2 + length, 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const entry of entries) {
    if (entry.length > MAX_ENTRY_BYTES) throw new RangeError(`an entry has ${entry.length} bytes`)
    view.setUint16(at, entry.length)
    bytes.set(entry, at + 2)
    at += 2 + entry.length
  }
  return bytes
}

/** The entries of a bundle. Throws a LogError (MALFORMED) unless it has exactly `count`. */
export function parseBundle(bytes: Uint8Array, count: number): readonly Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const entries: Uint8Array[] = []
  let at = 0
  for (let index = 0; index < count; index += 1) {
    const start = at + 2
    const end = start <= bytes.length ? start + view.getUint16(at) : Infinity
    if (end > bytes.length) {
      throw new LogError('MALFORMED', `the bundle ends within entry ${index} of ${count}`)
    }
    entries.push(bytes.subarray(start, end))
    at = end
  }
  if (at === bytes.length) return entries
  throw new LogError(
    'MALFORMED',
    `the bundle has ${bytes.length - at} bytes after ${count} entries`,
  )
}

/** Reads one tile. The result need not be checked: the hashes are used in proofs that are. */
export type ReadTile = (tile: Tile) => Promise<Uint8Array>

/** The subtrees of a tree of `size` leaves, read from its tiles, each tile once. */
export function createTileHashes(size: number, readTile: ReadTile): SubtreeHashes {
  const tiles = new Map<string, Promise<Uint8Array>>()
  const read = (tile: Tile): Promise<Uint8Array> => {
    const path = tilePath(tile)
    const known = tiles.get(path)
    if (known !== undefined) return known
    const reading = readTile(tile).then((bytes) => {
      if (bytes.length === tile.width * HASH_BYTES) return bytes
      const found = `${bytes.length} bytes, expected ${tile.width * HASH_BYTES}`
      throw new LogError('MALFORMED', `${path} has ${found}`)
    })
    tiles.set(path, reading)
    return reading
  }
  const rootOfSlice = async (bytes: Uint8Array): Promise<Uint8Array> => {
    if (bytes.length === HASH_BYTES) return bytes
    const half = bytes.length / 2
    return hashNode(
      await rootOfSlice(bytes.subarray(0, half)),
      await rootOfSlice(bytes.subarray(half)),
    )
  }
  return {
    async at(level, index) {
      const tileLevel = Math.floor(level / TILE_HEIGHT)
      const count = 2 ** (level % TILE_HEIGHT)
      const first = index * count
      const tile = widestTile(tileLevel, Math.floor(first / TILE_WIDTH), size)
      if (tile === undefined) throw new RangeError(`level ${level} has no subtree ${index}`)
      const start = (first % TILE_WIDTH) * HASH_BYTES
      return rootOfSlice((await read(tile)).subarray(start, start + count * HASH_BYTES))
    },
  }
}
