import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { EXPORT_FORMATS } from '../../../src/cli/waitlist/export-rows.ts'
import type { WaitlistEntry } from '../../../src/service/waitlist/waitlist-entry.ts'
import { hasProgram } from '../../caches/cache-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { parseCsv } from './csv-reader.ts'

const ENTRY: WaitlistEntry = {
  ticket: 'EA-0123456789ABCDEF',
  email: '=1+1@example.org',
  locale: 'th',
  interests: ['api'],
  useCase: '+2 ภาษาไทย, "你好"',
  registeredAt: '2026-01-31T12:00:00.123Z',
  consent: { version: '0123456789012345', text: 'ข้อตกลง' },
}

function writeExport(t: TestContext): { readonly folder: string; readonly csv: string } {
  const folder = temporaryFolder(t)
  const csv = `${EXPORT_FORMATS.csv.header}${EXPORT_FORMATS.csv.rowOf(ENTRY)}`
  writeFileSync(path.join(folder, 'list.csv'), csv)
  return { folder, csv }
}

test(
  'LibreOffice shows each cell as it is in the file, with the documented call',
  { skip: hasProgram('soffice') ? false : 'soffice is not installed' },
  (t) => {
    const { folder, csv } = writeExport(t)
    const guide = readFileSync('docs/operating.md', 'utf8')
    const [, filter = ''] = /`soffice --infilter='([^']+)' list\.csv`/.exec(guide) ?? []
    const args = [
      '--headless',
      `--infilter=${filter}`,
      '--convert-to',
      'csv:Text - txt - csv (StarCalc):44,34,76',
    ]
    execFileSync('soffice', [...args, '--outdir', path.join(folder, 'out'), 'list.csv'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C' },
      stdio: 'ignore',
    })
    const shown = readFileSync(path.join(folder, 'out', 'list.csv'), 'utf8')
    assert.deepEqual(parseCsv(shown.replaceAll(/(?<!\r)\n/g, '\r\n')), parseCsv(csv))
  },
)

test(
  'Gnumeric reads UTF-8 by itself, and evaluates no cell of this file',
  { skip: hasProgram('ssconvert') ? false : 'ssconvert is not installed' },
  (t) => {
    const { folder } = writeExport(t)
    execFileSync('ssconvert', ['list.csv', 'shown.txt'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C' },
      stdio: 'ignore',
    })
    const shown = readFileSync(path.join(folder, 'shown.txt'), 'utf8')
    const [, row] = parseCsv(shown.replaceAll(/(?<!\r)\n/g, '\r\n'))
    // It takes the apostrophe for the mark of a text, and the version for a number.
    assert.deepEqual(
      [row?.[2], row?.[5], row?.[6], row?.[7]],
      ['=1+1@example.org', '+2 ภาษาไทย, "你好"', '123456789012345', 'ข้อตกลง'],
    )
  },
)
