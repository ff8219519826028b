import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { JsonObject } from '@public-api/contract/json/canonical-json'
import { InputData, JSONSchemaInput, quicktype } from 'quicktype-core'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// openapi-python-client is on PyPI alone. quicktype, from npm, generates Python classes from JSON Schema, which the
// schemas of the document are but for where they stand and how they say null.

const run = promisify(execFile)

/** Debian's Python, for which apt installs mypy and python3-dateutil. */
const PYTHON = '/usr/bin/python3'

const BODIES = ['StatusResponse', 'VersionHistoryResponse', 'VersionNotFoundError']

/** The schemas as JSON Schema: OpenAPI 3.0 has `nullable` where JSON Schema has the type null. */
function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toJsonSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  const { nullable, ...rest } = schema as JsonObject
  const members = Object.entries(rest).map(([name, value]) => [
    name,
    name === '$ref' && typeof value === 'string'
      ? value.replace('components/schemas', 'definitions')
      : toJsonSchema(value),
  ])
  const converted = Object.fromEntries(members) as JsonObject
  return nullable === true ? { ...converted, type: [converted['type'], 'null'] } : converted
}

/** Generates the module `models` from the served document. */
async function generateModels(app: RunningApp, folder: string): Promise<void> {
  const document = (await (await app.fetch('/api/v1/openapi.json')).json()) as {
    readonly components: { readonly schemas: JsonObject }
  }
  const definitions = toJsonSchema(document.components.schemas)
  const input = new JSONSchemaInput(undefined)
  for (const name of BODIES) {
    const schema = JSON.stringify({ $ref: `#/definitions/${name}`, definitions })
    await input.addSource({ name, schema })
  }
  const inputData = new InputData()
  inputData.addInput(input)
  const { lines } = await quicktype({ inputData, lang: 'python' })
  writeFileSync(path.join(folder, 'models.py'), lines.join('\n'))
}

const RIGHT = `
import json
import sys
import urllib.error
import urllib.request
from typing import Any

from models import StatusResponse, VersionHistoryResponse, VersionNotFoundError


def read(target: str) -> Any:
    try:
        with urllib.request.urlopen(sys.argv[1] + target) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        return json.load(error)


status = StatusResponse.from_dict(read("/api/v1/status"))
for component in status.data.components:
    print(component.id, component.state.value)
history = VersionHistoryResponse.from_dict(read("/api/v1/versions"))
print(history.data.count, [entry.snapshot_id for entry in history.data.entries])
print(VersionNotFoundError.from_dict(read("/api/v1/versions/VS-9999")).error.code.value)
`

/** Expressions with a misspelled field: of `data`, of an item, and of the detail of an error. */
const WRONG: readonly (readonly [body: string, expression: string])[] = [
  ['StatusResponse', 'body.data.sate'],
  ['StatusResponse', '[each.nam for each in body.data.components]'],
  ['VersionNotFoundError', 'body.error.cod'],
]

/** Why the tests cannot run, or undefined. */
async function missing(): Promise<string | undefined> {
  try {
    await run(PYTHON, ['-c', 'import mypy, dateutil'])
    return undefined
  } catch {
    return 'Debian’s packages python3, mypy and python3-dateutil are not installed'
  }
}

/** The errors that mypy finds in a file, strictly; the generated module is taken as it is. */
async function typeErrors(folder: string, file: string): Promise<readonly string[]> {
  try {
    await run(PYTHON, ['-m', 'mypy', '--config-file', 'mypy.ini', file], { cwd: folder })
    return []
  } catch (error) {
    const { stdout = '' } = error as { readonly stdout?: string }
    assert.match(stdout, /error:/, String(error))
    return stdout.split('\n').filter((line) => line.includes('error:'))
  }
}

test('Python classes generated from the served document compile strictly, refuse a misspelled field and read the running service', async (t) => {
  const reason = await missing()
  if (reason !== undefined) {
    t.skip(reason)
    return
  }
  const app = await runApp(t)
  const folder = temporaryFolder(t)
  await generateModels(app, folder)
  writeFileSync(
    path.join(folder, 'mypy.ini'),
    '[mypy]\nstrict = True\n[mypy-models]\nignore_errors = True\n[mypy-dateutil.*]\nignore_missing_imports = True\n',
  )
  await run(PYTHON, ['-m', 'py_compile', 'models.py'], { cwd: folder })

  writeFileSync(path.join(folder, 'right.py'), RIGHT)
  assert.deepEqual(await typeErrors(folder, 'right.py'), [])
  const { stdout } = await run(PYTHON, ['right.py', app.origin], { cwd: folder })
  assert.equal(stdout, "read-api operational\n2 ['VS-0002', 'VS-0001']\nVERSION_NOT_FOUND\n")

  for (const [index, [body, expression]] of WRONG.entries()) {
    const file = `wrong${index}.py`
    const lines = [`from models import ${body}`, '', '', `def f(body: ${body}) -> object:`]
    writeFileSync(path.join(folder, file), [...lines, `    return ${expression}`, ''].join('\n'))
    const errors = await typeErrors(folder, file)
    assert.equal(errors.length, 1, errors.join('\n'))
    assert.match(errors[0] ?? '', /has no attribute .* \[attr-defined\]/)
  }
})
