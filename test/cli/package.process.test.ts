import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { NODES_OF_EACH_RUN } from '../support/nodes-on-path.ts'
import { testNodes, usePackedCommands } from './packed-commands.ts'

const packed = usePackedCommands()

describe('the packed commands', () => {
  test('install from one tarball without any other package', () => {
    const installed = readdirSync(path.join(packed.consumer, 'node_modules'))
    assert.deepEqual(
      installed.filter((name) => !name.startsWith('.')),
      ['@public-api'],
    )
    const folder = path.join(packed.consumer, 'node_modules', '@public-api', 'cli')
    assert.deepEqual(readdirSync(folder).toSorted(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'package.json',
    ])
    const text = readdirSync(path.join(folder, 'dist'))
      .map((file) => readFileSync(path.join(folder, 'dist', file), 'utf8'))
      .join('\n')
    assert.match(text, /^commander 15\.0\.0\n\n.*MIT License/ms)
    // A static import of what Node 20 lacks fails before any command runs.
    assert.doesNotMatch(text, /import\s*\{[^}]*zstd[^}]*\}/)
  })

  // The package has commands and nothing to import, so it has no types that could resolve wrongly.
  test('publint and attw find no problem', async () => {
    const { messages } = await publint({ pkgDir: packed.built, strict: true, pack: false })
    assert.deepEqual(messages, [])
    const data = new Uint8Array(readFileSync(packed.tarball))
    assert.equal((await checkPackage(createPackageFromTarballData(data))).types, false)
  })
})

testNodes(packed, NODES_OF_EACH_RUN)
