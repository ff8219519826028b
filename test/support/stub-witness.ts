import type { TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { decodeCanonicalBase64, encodeBase64 } from '@public-api/client-internal/base64'
import { isLineOf, parseSignedCheckpoint } from '@public-api/client-internal/log/checkpoint'
import { verifyConsistency } from '@public-api/client-internal/log/merkle-tree'
import { ED25519, importVkey } from '@public-api/client-internal/log/signed-note'
import { witnessSigner } from './log-fixture.ts'
import { serve } from './loopback-server.ts'

/** How a witness deviates from the protocol. */
export type WitnessMode =
  | 'honest'
  | 'hangs'
  | 'drips'
  | 'cuts'
  | 'resets'
  | 'lies'
  | 'floods'
  | 'bombs'
  | 'argues'
  | 'unknown-log'
  | 'unknown-key'
  | 'fails'
  | 'refuses'
  | 'limits'
  | 'redirects'
  | 'nonsense'
  | 'empty-409'

/** A witness by c2sp.org/tlog-witness. It verifies what it cosigns; a test may make it deviate or forget. */
export async function openStubWitness(
  t: TestContext,
  name: string,
  seed: number,
  logVkey: string,
  nowSeconds: () => number = () => Math.floor(Date.now() / 1000),
) {
  const signer = await witnessSigner(`witness.example/${name}`, seed)
  const logKey = await importVkey(logVkey, [ED25519], 'the log')
  const witness = {
    mode: 'honest' as WitnessMode,
    known: { size: 0, root: '' },
    requests: [] as string[],
    line: '',
  }

  async function answer(
    body: string,
  ): Promise<readonly [status: number, text: string, type?: string]> {
    const split = body.indexOf('\n\n')
    const [first = '', ...proof] = body.slice(0, split).split('\n')
    const note = body.slice(split + 2)
    const checkpoint = parseSignedCheckpoint(note)
    const isSigned = await Promise.all(
      checkpoint.signatures
        .filter((line) => isLineOf(logKey, line))
        .map((line) => logKey.isSignatureOf(line.signature, checkpoint.text)),
    )
    if (!isSigned.includes(true)) return [403, '']
    const oldSize = Number(/^old (\d+)$/.exec(first)?.[1])
    if (oldSize !== witness.known.size) return [409, `${witness.known.size}\n`, 'text/x.tlog.size']
    try {
      await verifyConsistency({
        oldSize,
        oldRoot: Buffer.from(
          oldSize === 0 ? '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' : witness.known.root,
          'base64',
        ),
        size: checkpoint.size,
        root: checkpoint.root,
        proof: proof.map((hash) => decodeCanonicalBase64(hash, 32) ?? new Uint8Array()),
      })
    } catch {
      return [422, '']
    }
    witness.known = { size: checkpoint.size, root: encodeBase64(checkpoint.root) }
    return [200, await signer.cosign(checkpoint.text, nowSeconds())]
  }

  const url = await serve(t, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      witness.requests.push(body)
      const send = (status: number, text = '', type = 'text/plain'): void => {
        response.writeHead(status, { 'Content-Type': type, Location: 'http://127.0.0.1:1/' })
        response.end(text)
      }
      switch (witness.mode) {
        case 'hangs':
          return
        case 'drips': {
          response.writeHead(200, { 'Content-Type': 'text/plain' })
          const timer = setInterval(() => response.write('\n'), 20)
          return void response.on('close', () => clearInterval(timer))
        }
        case 'cuts':
          response.writeHead(200, { 'Content-Length': '1000' })
          return void response.write('— x AAAA', () => response.destroy())
        case 'resets':
          return void request.socket.resetAndDestroy()
        case 'floods':
          return send(200, '— x AAAAAAAA\n'.repeat(20_000))
        case 'bombs':
          response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' })
          return void response.end(gzipSync(Buffer.alloc(5_000_000, '\n')))
        case 'argues':
          // A size that it did not state before, for ever.
          return send(409, `${witness.requests.length}\n`, 'text/x.tlog.size')
        case 'unknown-log':
          return send(404)
        case 'unknown-key':
          return send(403)
        case 'fails':
          return send(500)
        case 'refuses':
          return send(400)
        case 'limits':
          return send(429)
        case 'redirects':
          return send(307)
        case 'nonsense':
          return send(200, 'hello\n')
        case 'empty-409':
          return send(409)
        case 'lies':
          // The signature of another tree.
          void signer.cosign('another text\n', nowSeconds()).then((line) => send(200, line))
          return
        case 'honest':
          void answer(body).then(([status, text, type]) => send(status, text, type))
      }
    })
  })
  return Object.assign(witness, { url, vkey: signer.vkey, signer })
}
