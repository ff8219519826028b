#!/bin/sh
# http-cache-semantics 4.3.0, Nov 28, 2026.
# Expected (RFC 9111 3.2): the fields of a 304 are put into the stored response, new ones included.
# Seen: a field that the stored response did not have is not there after the renewal; one that it had gets the new value.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --ignore-scripts http-cache-semantics@4.3.0
cat >run.mjs <<'EOF'
import CachePolicy from 'http-cache-semantics'
const request = { method: 'GET', url: '/', headers: {} }
const date = new Date().toUTCString()
const stored = { etag: '"a"', 'cache-control': 'max-age=0', date, 'x-both': 'old' }
const policy = new CachePolicy(request, { status: 200, headers: stored })
const headers = { etag: '"a"', 'x-both': 'new', 'x-only-304': 'new' }
const renewed = policy.revalidatedPolicy(request, { status: 304, headers }).policy.responseHeaders()
console.log(`x-both: ${renewed['x-both']}, x-only-304: ${renewed['x-only-304']}`)
EOF
found=$(node run.mjs)
echo "$found"
[ "$found" = 'x-both: new, x-only-304: undefined' ]
