import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { FINDING_CATALOG } from '@public-api/cli/src/doctor/finding-catalog.ts'

/** Findings that are never alone, because their cause has two consequences. */
const WITH_ANOTHER = [
  // A proof by message signature names the current key too.
  ['key-not-current', 'message-signature-wrong'],
  // Only a deprecated endpoint can miss the field that announces it.
  ['deprecation-missing', 'endpoint-deprecated'],
] as const

test('each finding is expected alone by a test of this folder, whose server has its cause', () => {
  // Those tests compare whole lists of findings, so a list of one id says that the cause provokes no other.
  const files = globSync('test/cli/doctor/*.test.ts').filter(
    (file) => path.resolve(file) !== import.meta.filename,
  )
  const text = files.map((file) => readFileSync(file, 'utf8')).join('')
  const isExpected = (list: RegExp) => list.test(text)
  const left = Object.keys(FINDING_CATALOG).filter(
    (id) => !isExpected(new RegExp(`\\[\\s*'${id}'(,?\\s*\\]|,\\s*\\[)`)),
  )
  assert.deepEqual(left.toSorted(), WITH_ANOTHER.map(([id]) => id).toSorted())
  for (const [id, other] of WITH_ANOTHER)
    assert.ok(isExpected(new RegExp(`\\['${id}', '${other}'\\]`)))
})
