import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { serve } from './loopback-server.ts'
import type { TestScope } from './test-scope.ts'

const TYPES: { readonly [ending: string]: string } = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

/** A host of static files that knows nothing of the service: the folder is asked for at each request. */
export function serveFolder(t: TestScope, folder: () => string): Promise<string> {
  return serve(t, (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://host')
    const place = path.join(folder(), pathname)
    const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() === true
    const file = isFolder ? path.join(place, 'index.html') : place
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
      response.writeHead(404).end()
      return
    }
    const type = TYPES[path.extname(file)] ?? 'application/octet-stream'
    response.writeHead(200, { 'Content-Type': type }).end(readFileSync(file))
  })
}
