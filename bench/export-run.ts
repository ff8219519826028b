import { open, readFile } from 'node:fs/promises'
import { Decrypter } from 'age-encryption'
import { exportWaitlist } from '../src/cli/waitlist/export-waitlist.ts'
import { openSqliteStorageHere } from '../src/storage/sqlite-here.ts'
import type { WaitlistStore } from '../src/storage/waitlist-store.ts'
import type { ExportRun } from './export.ts'

// One way of opening the rows of a list, in a process of its own. Arguments: the database, the identity's file, the file
// to write to, and `export` with a number of threads or `library` with a number of rows.

const [database = '', identityFile = '', out = '', way, count] = process.argv.slice(2)
const identity = (await readFile(identityFile, 'utf8')).trim()

async function exportCsv(store: WaitlistStore, _jobs: number): Promise<number> {
  const file = await open(out, 'w', 0o600)
  try {
    const { exported, leftOut } = await exportWaitlist({
      store,
      identities: [identity],
      format: 'csv',
      async write(part) {
        await file.writeFile(part)
        return true
      },
    })
    if (leftOut > 0) throw new Error(`expected every row to open, found ${leftOut} that do not`)
    return exported
  } finally {
    await file.close()
  }
}

const PAGE_ROWS = 500

/** The library as its documentation has it: nothing of ours between it and the row. */
async function openWithLibrary(store: WaitlistStore, rows: number): Promise<number> {
  let opened = 0
  let position = 0
  while (opened < rows) {
    const page = await store.readAfter(position, Math.min(PAGE_ROWS, rows - opened))
    if (page.length === 0) break
    for (const { sealed } of page) {
      const decrypter = new Decrypter()
      decrypter.addIdentity(identity)
      await decrypter.decrypt(sealed)
    }
    opened += page.length
    position = page.at(-1)?.position ?? position
  }
  return opened
}

const storage = await openSqliteStorageHere({ file: database, mode: 'read-only' })
const startedMs = performance.now()
const before = process.cpuUsage()
const rows =
  way === 'export'
    ? await exportCsv(storage.waitlist, Number(count))
    : await openWithLibrary(storage.waitlist, Number(count))
const seconds = (performance.now() - startedMs) / 1000
const { user, system } = process.cpuUsage(before)
await storage.close()
const run: ExportRun = { rows, seconds, cpuSeconds: (user + system) / 1e6 }
process.stdout.write(`${JSON.stringify(run)}\n`)
