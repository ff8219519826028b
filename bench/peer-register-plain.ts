import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { SERVER_OPTIONS, tellUrl } from './listening.ts'

// The floor of registering: node:http and node:sqlite in one thread. It stores what was sent as it was sent, in plain
// text, looks at nothing but the address, signs nothing, and waits for the disk before it answers. Its arguments are
// those of every peer, and the file of its database.

const database = new DatabaseSync(process.argv[3] ?? '')
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
database.exec(
  'CREATE TABLE IF NOT EXISTS registrations (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, body TEXT NOT NULL)',
)
const add = database.prepare(
  'INSERT INTO registrations (email, body) VALUES (?, ?) ON CONFLICT DO NOTHING',
)

const server = createServer(SERVER_OPTIONS, (request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (part: string) => {
    text += part
  })
  request.once('end', () => {
    const { email } = JSON.parse(text) as { email: string }
    const { changes, lastInsertRowid } = add.run(email, text)
    const body = JSON.stringify(
      changes === 0 ? { error: 'DUPLICATE' } : { ticket: `EA-${lastInsertRowid}` },
    )
    response.writeHead(200, [
      'Content-Type',
      'application/json',
      'Content-Length',
      String(Buffer.byteLength(body)),
    ])
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => tellUrl((server.address() as AddressInfo).port))
