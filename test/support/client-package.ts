import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { buildClient } from '../../scripts/build-client.ts'
import { listen } from '../../src/http/connection/listener.ts'
import { closeServer } from './loopback-server.ts'

const MEDIA_TYPES: { readonly [extension: string]: string } = {
  '.js': 'text/javascript',
  '.json': 'application/json',
}

/** The import map replaces the manifest's `imports`. The icon prevents a request for one. */
const PAGE = `<!doctype html><title>Client</title><link rel="icon" href="data:,">
<script type="importmap">{"imports":{"#crypto":"/dist/client/web-crypto.js","#fetch":"/dist/client/web-fetch.js"}}</script>`

let built: Promise<string> | undefined

/** Builds the client once for a process. */
async function build(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'client-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await buildClient(folder)
  return folder
}

/**
 * Builds the client as published and serves its files on a free loopback port, with an empty page at `/`, until the
 * test ends. Returns the origin.
 */
export async function serveClientPackage(t: TestContext): Promise<string> {
  const folder = await (built ??= build())
  const server = createServer((request, response) => {
    const target = request.url ?? ''
    if (target === '/') {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
      response.end(PAGE)
      return
    }
    try {
      const body = readFileSync(path.join(folder, path.posix.normalize(target)))
      const type = MEDIA_TYPES[path.extname(target)] ?? 'application/octet-stream'
      response.writeHead(200, { 'Content-Type': type }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => closeServer(server))
  return `http://127.0.0.1:${port}`
}
