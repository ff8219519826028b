import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { escapeHtml } from '../../src/pages/markup/html.ts'
import { serve } from './loopback-server.ts'
import type { TestScope } from './test-scope.ts'

/** An object of a bucket, as its last upload made it. */
export interface StoredObject {
  readonly bytes: Buffer
  readonly type: string | undefined
  readonly lifetime: string | undefined
  readonly etag: string
  /** The headers of its own metadata. */
  readonly meta: { readonly [name: string]: string }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A listing with more entries has pages. */
const PAGE = 100

function listing(bucket: string, objects: ReadonlyMap<string, StoredObject>, url: URL): string {
  const prefix = url.searchParams.get('prefix') ?? ''
  const delimiter = url.searchParams.get('delimiter') ?? ''
  const after = url.searchParams.get('marker') ?? ''
  const entries = [...objects.keys()]
    .filter((name) => name.startsWith(prefix))
    .map((name) => {
      const end = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length)
      return end === -1 ? name : name.slice(0, end + 1)
    })
  const left = [...new Set(entries)].filter((entry) => entry > after)
  const shown = left.toSorted((a, b) => (a < b ? -1 : 1)).slice(0, PAGE)
  const isTruncated = shown.length < left.length
  const items = shown.map((entry) => {
    const object = objects.get(entry)
    const key = escapeHtml(entry)
    return object === undefined
      ? `<CommonPrefixes><Prefix>${key}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${key}</Key><LastModified>2026-02-03T04:05:06.000Z</LastModified><ETag>${escapeHtml(object.etag)}</ETag><Size>${object.bytes.length}</Size></Contents>`
  })
  const next = isTruncated ? `<NextMarker>${escapeHtml(shown.at(-1) ?? '')}</NextMarker>` : ''
  return `<?xml version="1.0"?><ListBucketResult><Name>${bucket}</Name><IsTruncated>${isTruncated}</IsTruncated>${next}${items.join('')}</ListBucketResult>`
}

/**
 * The part of S3's protocol that uploads of a copy use, for one bucket on loopback. `onChange` is called after each change.
 * Requests beyond `mayChange` are refused, as when the network goes.
 */
export async function startS3(
  t: TestScope,
  onChange: (change: string) => void = () => {},
  mayChange: () => boolean = () => true,
) {
  const objects = new Map<string, StoredObject>()
  const bucket = 'status.example.org'
  const origin = await serve(t, (request, response) => {
    void (async (): Promise<void> => {
      const url = new URL(request.url ?? '/', 'http://s3.invalid')
      const name = decodeURIComponent(url.pathname).slice(bucket.length + 2)
      const body = await readBody(request)
      const send = (status: number, text = '', headers: { [name: string]: string } = {}): void =>
        void response.writeHead(status, headers).end(text)
      const { method } = request
      const isChange = method === 'PUT' || method === 'DELETE'
      if (isChange && !mayChange()) return send(403, '<Error><Code>AccessDenied</Code></Error>')
      if (name === '')
        return send(200, listing(bucket, objects, url), { 'Content-Type': 'application/xml' })
      const known = objects.get(name)
      if (method === 'PUT') {
        const etag = `"${createHash('md5').update(body).digest('hex')}"`
        objects.set(name, {
          bytes: body,
          type: request.headers['content-type'],
          lifetime: request.headers['cache-control'],
          etag,
          meta: Object.fromEntries(
            Object.entries(request.headers).flatMap(([header, value]) =>
              header.startsWith('x-amz-meta-') ? [[header, String(value)]] : [],
            ),
          ),
        })
        onChange(`put ${name}`)
        return send(200, '', { ETag: etag })
      }
      if (known === undefined) return send(404)
      if (method === 'DELETE') {
        objects.delete(name)
        onChange(`delete ${name}`)
        return send(204)
      }
      const headers = {
        ETag: known.etag,
        'Content-Length': String(known.bytes.length),
        'Last-Modified': 'Tue, 03 Feb 2026 04:05:06 GMT',
        ...known.meta,
      }
      response.writeHead(200, headers).end(method === 'HEAD' ? '' : known.bytes)
    })()
  })
  return {
    objects,
    /** The settings of rclone for the bucket. */
    env: {
      RCLONE_CONFIG: '/nonexistent/rclone.conf',
      RCLONE_CONFIG_STATUS_TYPE: 's3',
      RCLONE_CONFIG_STATUS_PROVIDER: 'Other',
      RCLONE_CONFIG_STATUS_ENDPOINT: origin,
      RCLONE_CONFIG_STATUS_ACCESS_KEY_ID: 'of-the-test',
      RCLONE_CONFIG_STATUS_SECRET_ACCESS_KEY: 'nothing',
      RCLONE_CONFIG_STATUS_NO_CHECK_BUCKET: 'true',
    },
    target: `status:${bucket}`,
  }
}
