import { READ_PATHS } from '../contract/read-paths.ts'

/** Verification of one response with curl and openssl, as in the README, and of the key against the pinned id. */
export function curlRecipe(origin: string, keyId: string): string {
  return `base=${origin}
pin=${keyId}
target=${READ_PATHS.status}
curl -sS -D headers.txt -o body.json "$base$target"
field() { grep -i "^$1:" headers.txt | cut -d ' ' -f 2- | tr -d '\\r\\n'; }

# 1. The digest in the header is the digest of the bytes that came.
digest="sha-256=:$(openssl dgst -sha256 -binary body.json | openssl base64 -A):"
test "$digest" = "$(field content-digest)" && echo 'digest: good'

# 2. The signature is over six lines, and the digest is the last of them.
printf 'svc-response-v1\\nGET\\n%s\\n200\\n%s\\n%s' \\
  "$target" "$(field x-svc-signed-at)" "$digest" > signed.txt
field x-svc-signature | openssl base64 -d -A > signature.bin

# 3. The key is the pinned one: its id is computed from the key itself.
x=$(curl -sS "$base${READ_PATHS.signingKey}" |
  grep -o '"x":"[^"]*"' | head -n 1 | cut -d '"' -f 4)
id=$(printf '{"crv":"Ed25519","kty":"OKP","x":"%s"}' "$x" |
  openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
test "$id" = "$pin" && echo 'key: the pinned one'

# 4. That key made the signature. The letters before it say "Ed25519".
printf -- '-----BEGIN PUBLIC KEY-----\\nMCowBQYDK2VwAyEA%s=\\n-----END PUBLIC KEY-----\\n' \\
  "$(printf %s "$x" | tr '_-' '/+')" > key.pem
test "$id" = "$pin" &&
  openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in signed.txt -sigfile signature.bin
`
}

/** A verified read with the client library. */
export function packageRecipe(origin: string, keyId: string): string {
  return `import { createClient } from '@public-api/client'

const client = createClient({
  baseUrl: '${origin}',
  pinnedKeyIds: ['${keyId}'],
})
const { data, provedAtMs } = await client.status()
console.log(data.state, new Date(provedAtMs).toISOString())
`
}

/** The svc commands that verify this deployment. */
export function commandRecipe(origin: string, keyId: string): string {
  const pin = `\\
  --pin ${keyId}`
  return `npm run svc -- verify ${origin}${READ_PATHS.status} ${pin}
npm run svc -- audit ${origin} ${pin} \\
  --state head.json
npm run svc -- doctor ${origin} ${pin}
`
}
