import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { encodeBase64 } from '@public-api/client-internal/base64'
import { createHashTree } from '@public-api/client-internal/log/hash-tree'
import { LogError } from '@public-api/client-internal/log/log-error'
import {
  consistencyProof,
  hashLeaf,
  inclusionProof,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from '@public-api/client-internal/log/merkle-tree'
import {
  createTileHashes,
  formatBundle,
  isTileOf,
  parseBundle,
  parseTilePath,
  tilePath,
  tilesOf,
} from '@public-api/client-internal/log/tiles'
import { assert as assertProperty, asyncProperty, integer, nat } from 'fast-check'

const MAX_SIZE = 600

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** RFC 6962 2.1, as it is written. */
function rootByDefinition(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256()
  const [first] = leaves
  if (leaves.length === 1 && first !== undefined) return first
  const split = 2 ** Math.ceil(Math.log2(leaves.length) - 1)
  return sha256(
    Buffer.of(1),
    rootByDefinition(leaves.slice(0, split)),
    rootByDefinition(leaves.slice(split)),
  )
}

const LEAVES = Array.from({ length: MAX_SIZE }, (_, index) =>
  sha256(Buffer.of(0), Buffer.from(`entry ${index}`)),
)
const tree = await createHashTree(Buffer.concat(LEAVES))

/** The tree of the first leaves, read as a client reads a log: from tiles. */
function tiled(size: number) {
  return createTileHashes(size, ({ level, index, width }) =>
    Promise.resolve(tree.slice(8 * Number(level), index * 256, index * 256 + width)),
  )
}

const isRefused = (code: string) => (error: unknown) =>
  error instanceof LogError && error.code === code

test('the hash of a leaf and the root of every size from 0 to 600 follow RFC 6962', async () => {
  assert.deepEqual(Buffer.from(await hashLeaf('entry 0')), LEAVES[0])
  for (let size = 0; size <= MAX_SIZE; size += 1) {
    const expected = Buffer.from(rootByDefinition(LEAVES.slice(0, size)))
    assert.deepEqual(Buffer.from(await rootOf(tree, size)), expected, String(size))
    if (size % 50 < 2) assert.deepEqual(Buffer.from(await rootOf(tiled(size), size)), expected)
  }
})

test('every entry of any tree has a proof, and no other leaf, index or proof passes', async () => {
  await assertProperty(
    asyncProperty(integer({ min: 1, max: MAX_SIZE }), nat(), nat(), async (size, place, bit) => {
      const index = place % size
      const root = await rootOf(tree, size)
      const proof = await inclusionProof(tree, index, size)
      const fromTiles = await inclusionProof(tiled(size), index, size)
      assert.deepEqual(fromTiles.map(encodeBase64), proof.map(encodeBase64))
      const inclusion = { index, size, leafHash: LEAVES[index] as Buffer, proof, root }
      await verifyInclusion(inclusion)

      const leafHash = LEAVES[(index + 1) % MAX_SIZE] as Buffer
      const bent = proof.map((hash) => Uint8Array.from(hash))
      const target = bent[bit % Math.max(bent.length, 1)]
      if (target !== undefined) target[0] = (target[0] ?? 0) ^ 1
      const wrong = [
        { ...inclusion, leafHash },
        { ...inclusion, index: index + 1 },
        { ...inclusion, index: size },
        { ...inclusion, proof: [...proof, root] },
        ...(proof.length === 0 ? [] : [{ ...inclusion, proof: proof.slice(1) }]),
        ...(target === undefined ? [] : [{ ...inclusion, proof: bent }]),
      ]
      for (const each of wrong) await assert.rejects(verifyInclusion(each), isRefused('INCLUSION'))
    }),
    { numRuns: 200 },
  )
})

test('every tree is consistent with every smaller one, and no other root or proof passes', async () => {
  await assertProperty(
    asyncProperty(integer({ min: 0, max: MAX_SIZE }), nat(), async (size, place) => {
      const oldSize = place % (size + 1)
      const [oldRoot, root] = [await rootOf(tree, oldSize), await rootOf(tree, size)]
      const proof = await consistencyProof(tree, oldSize, size)
      if (size > 0) {
        const read = await consistencyProof(tiled(size), oldSize, size)
        assert.deepEqual(read.map(encodeBase64), proof.map(encodeBase64))
      }
      const consistency = { oldSize, oldRoot, size, root, proof }
      await verifyConsistency(consistency)

      const other = Buffer.alloc(32, 9)
      const wrong = [
        { ...consistency, oldRoot: other },
        ...(oldSize === 0 ? [] : [{ ...consistency, root: other }]),
        { ...consistency, proof: [...proof, other] },
        ...(proof.length === 0 ? [] : [{ ...consistency, proof: proof.slice(1) }]),
        { ...consistency, oldSize: size + 1 },
      ]
      for (const each of wrong) {
        await assert.rejects(verifyConsistency(each), isRefused('CONSISTENCY'))
      }
    }),
    { numRuns: 200 },
  )
})

test('small trees pass exhaustively', async () => {
  for (let size = 1; size <= 40; size += 1) {
    const root = await rootOf(tree, size)
    for (let index = 0; index < size; index += 1) {
      const proof = await inclusionProof(tree, index, size)
      await verifyInclusion({ index, size, leafHash: LEAVES[index] as Buffer, proof, root })
      const oldRoot = await rootOf(tree, index)
      const path = await consistencyProof(tree, index, size)
      await verifyConsistency({ oldSize: index, oldRoot, size, root, proof: path })
    }
  }
})

test('a tile has one path, and other paths name no tile', () => {
  const paths = [
    [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
    [{ level: 0, index: 0, width: 8 }, 'tile/0/000.p/8'],
    [{ level: 63, index: 1_234_067, width: 255 }, 'tile/63/x001/x234/067.p/255'],
    [{ level: 'entries', index: 1000, width: 256 }, 'tile/entries/x001/000'],
  ] as const
  for (const [tile, path] of paths) {
    assert.equal(tilePath(tile), path)
    assert.deepEqual(parseTilePath(path), tile)
  }
  const refused = [
    'tile/00/000',
    'tile/64/000',
    'tile/-1/000',
    'tile/0/0',
    'tile/0/x000/001',
    'tile/0/001/002',
    'tile/0/000.p/0',
    'tile/0/000.p/08',
    'tile/0/000.p/256',
    'tile/0/000.p/',
    'tile/0/000/',
    'tile/0/x001',
    'tile/data/000',
    'tile/0/x999/x999/x999/x999/x999/999',
    '/tile/0/000',
  ]
  for (const path of refused) assert.equal(parseTilePath(path), undefined, path)
})

test('the tiles of a tree are those of C2SP: level 1 has only hashes of full tiles', () => {
  assert.deepEqual([...tilesOf(0)], [])
  assert.deepEqual([...tilesOf(520)].map(tilePath), [
    'tile/entries/000',
    'tile/entries/001',
    'tile/entries/002.p/8',
    'tile/0/000',
    'tile/0/001',
    'tile/0/002.p/8',
    'tile/1/000.p/2',
  ])
  assert.equal(isTileOf({ level: 0, index: 2, width: 9 }, 520), false)
  assert.equal(isTileOf({ level: 0, index: 2, width: 3 }, 520), true)
})

test('a bundle that is cut, too long or of another count is refused', () => {
  const entries = ['', 'a', 'bc'].map((text) => Buffer.from(text))
  const bytes = formatBundle(entries)
  assert.deepEqual(parseBundle(bytes, 3).map(encodeBase64), entries.map(encodeBase64))
  for (let end = 0; end < bytes.length; end += 1) {
    assert.throws(() => parseBundle(bytes.subarray(0, end), 3), isRefused('MALFORMED'))
  }
  assert.throws(() => parseBundle(bytes, 2), isRefused('MALFORMED'))
  assert.throws(() => parseBundle(bytes, 4), isRefused('MALFORMED'))
})

test('a tile of another length is refused', async () => {
  const short = createTileHashes(8, () => Promise.resolve(new Uint8Array(31)))
  await assert.rejects(rootOf(short, 8), isRefused('MALFORMED'))
})
