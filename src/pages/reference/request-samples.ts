import { createExample } from '@public-api/contract/documents/examples'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import type { Endpoint } from '@public-api/contract/registry/endpoints'
import { REQUEST_SCHEMAS } from '@public-api/contract/registry/schemas'
import { HEADERS, JSON_MEDIA_TYPE } from '@public-api/contract/terms/headers'
import type { SiteFacts } from '../page.ts'

/** The languages of samples with their names, in the order of the tabs. */
export const SAMPLE_LANGUAGES = {
  curl: 'curl',
  javascript: 'JavaScript',
  python: 'Python',
  go: 'Go',
  svc: 'svc',
} as const

export type SampleLanguage = keyof typeof SAMPLE_LANGUAGES

export interface RequestSample {
  readonly language: SampleLanguage
  readonly text: string
}

/** Placeholder of a challenge token in samples. The page's script replaces it. */
export const TOKEN_PLACEHOLDER = 'CHALLENGE_TOKEN'

/** A request of an endpoint, as samples write it. */
interface SampleCall {
  readonly name: string
  readonly row: Endpoint
  readonly origin: string
  readonly keyId: string
  /** How a visitor runs the published commands. */
  readonly commands: string
  readonly url: string
  /** Value of the path parameter. */
  readonly value: string | undefined
  readonly body: { readonly [name: string]: JsonValue } | undefined
  readonly needsKey: boolean
}

/** A sample is undefined where the program has no such request. */
type Sample = (call: SampleCall) => string | undefined

const CONTENT_TYPE = `${HEADERS.contentType}: ${JSON_MEDIA_TYPE}`

/** A request with what it needs of {@link SampleCall}, as any program sends it. */
type PlainCall = Pick<SampleCall, 'row' | 'url' | 'body' | 'needsKey'>

/** A curl command. The shell expands the key, so that it is not in the shell's history. */
function curlSample({ row, url, body, needsKey }: PlainCall): string {
  const words = [`curl -i ${row.method === 'GET' ? '' : `-X ${row.method} `}${url}`]
  if (needsKey) words.push(`-H "${HEADERS.authorization}: Bearer $API_KEY"`)
  if (body !== undefined) {
    const json = JSON.stringify(body, undefined, 2).replaceAll("'", String.raw`'\''`)
    words.push(`-H '${CONTENT_TYPE}'`, `-d '${json}'`)
  }
  return words.join(' \\\n ')
}

/** A value as JavaScript, with an entry for each member of an object. */
function javascriptValue(value: JsonValue | undefined): string {
  if (typeof value === 'string') return `'${value.replaceAll(/[\\']/g, String.raw`\$&`)}'`
  if (Array.isArray(value)) return `[${value.map(javascriptValue).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(
    ([name, each]) => `  ${name}: ${javascriptValue(each)},`,
  )
  return `{\n${members.join('\n')}\n}`
}

/** The writes that the client has a function for. */
const CLIENT_WRITES: ReadonlySet<string> = new Set(['register', 'revokeKeySelf'])

function javascriptSample(call: SampleCall): string | undefined {
  const { name, row, origin, keyId, value, body, needsKey } = call
  const isRead = row.method === 'GET'
  if (!isRead && !CLIENT_WRITES.has(name)) {
    return plainSamples(call).find(({ language }) => language === 'javascript')?.text
  }
  const key = 'apiKey: process.env.API_KEY'
  const options = [`baseUrl: '${origin}'`, `pinnedKeyIds: ['${keyId}']`]
  if (needsKey && isRead) options.push(key)
  const given = body === undefined ? `{ ${key} }` : javascriptValue(body)
  const sent = isRead
    ? `client.${name}(${value === undefined ? '' : javascriptValue(value)})`
    : `${name}(client, ${given})`
  return `import { createClient } from '@public-api/client'
${isRead ? '' : `import { ${name} } from '@public-api/client/write'\n`}
const client = createClient({
${options.map((each) => `  ${each},\n`).join('')}})
const { ${row.request === 'Registration' ? 'outcome, data' : 'data'} } = await ${sent}
console.log(${row.request === 'Registration' ? 'outcome, data' : 'data'})`
}

/** The clients in Python and Go read only. */
const readSample =
  (write: Sample): Sample =>
  (call) =>
    call.row.method === 'GET' ? write(call) : undefined

const SAMPLES: { readonly [_ in SampleLanguage]: Sample } = {
  curl: curlSample,
  javascript: javascriptSample,
  python: readSample(({ name, origin, keyId, value, needsKey }) => {
    const method = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return `${needsKey ? 'import os\n' : ''}from public_api import Client

client = Client(
    "${origin}",
    pinned_key_ids=["${keyId}"],
${needsKey ? '    api_key=os.environ["API_KEY"],\n' : ''})
print(client.${method}(${value === undefined ? '' : JSON.stringify(value)}).data)`
  }),
  go: readSample(({ name, origin, keyId, value, needsKey }) => {
    const method = (name.charAt(0).toUpperCase() + name.slice(1)).replace(/Id$/, 'ID')
    const given = value === undefined ? '' : `, ${JSON.stringify(value)}`
    return `package main

import (
	"context"
	"fmt"
${needsKey ? '\t"os"\n' : ''}
	"github.com/example/public-api-server/clients/go"
)

func main() {
	client, err := publicapi.NewClient(publicapi.Options{
		BaseURL:      "${origin}",
		PinnedKeyIDs: []string{"${keyId}"},
${needsKey ? '\t\tAPIKey:       os.Getenv("API_KEY"),\n' : ''}	})
	if err != nil {
		panic(err)
	}
	result, err := client.${method}(context.Background()${given})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Data)
}`
  }),
  // The command sends no API key.
  svc: readSample(({ url, keyId, commands, needsKey }) =>
    needsKey ? undefined : `${commands} verify ${url} \\\n  --pin ${keyId}`,
  ),
}

/**
 * The programs that call an endpoint with its example values, each as a visitor can run it: before the packages are
 * published, and where the deployment does not sign, by each language's own library, because the packages verify.
 */
export function requestSamples(
  name: string,
  row: Endpoint,
  { origin, keyId, commands }: Pick<SiteFacts, 'origin' | 'keyId' | 'commands'>,
): readonly RequestSample[] {
  const { path, parameter, request, authentication } = row
  const body =
    request && (createExample(REQUEST_SCHEMAS[request]) as NonNullable<SampleCall['body']>)
  const call = {
    name,
    row,
    origin,
    url: origin + path.replace(/\{.*\}/, encodeURIComponent(parameter?.example ?? '')),
    value: parameter?.example,
    body: body && 'challengeToken' in body ? { ...body, challengeToken: TOKEN_PLACEHOLDER } : body,
    needsKey: authentication === 'api-key',
  }
  if (keyId === undefined || commands === undefined) return plainSamples(call)
  return (Object.keys(SAMPLES) as SampleLanguage[]).flatMap((language) => {
    const text = SAMPLES[language]({ ...call, keyId, commands })
    return text === undefined ? [] : [{ language, text }]
  })
}

/** Lines that a sample has in some cases only. */
const linesOf = (lines: readonly (string | false)[]): string =>
  lines.filter((line) => line !== false).join('\n')

/** The programs that send a request with each language's own library: nothing has to be installed. */
export function plainSamples({ row, url, body, needsKey }: PlainCall): readonly RequestSample[] {
  const { method } = row
  const isRead = method === 'GET'
  const isPlain = isRead && !needsKey
  const json = body && JSON.stringify(body, undefined, 2)
  const javascript = linesOf([
    body !== undefined && `const body = ${javascriptValue(body)}`,
    isPlain
      ? `const response = await fetch('${url}')`
      : linesOf([
          `const response = await fetch('${url}', {`,
          !isRead && `  method: '${method}',`,
          '  headers: {',
          needsKey && `    ${HEADERS.authorization}: \`Bearer \${process.env.API_KEY}\`,`,
          body !== undefined && `    '${HEADERS.contentType}': '${JSON_MEDIA_TYPE}',`,
          '  },',
          body !== undefined && '  body: JSON.stringify(body),',
          '})',
        ]),
    'console.log(await response.json())',
  ])
  const python = linesOf([
    'import json',
    needsKey && 'import os',
    `from urllib.request import ${isPlain ? '' : 'Request, '}urlopen`,
    '',
    json !== undefined && `body = b"""${json}"""`,
    !isPlain &&
      linesOf([
        'request = Request(',
        `    "${url}",`,
        !isRead && `    method="${method}",`,
        '    headers={',
        needsKey && `        "${HEADERS.authorization}": "Bearer " + os.environ["API_KEY"],`,
        body !== undefined && `        "${HEADERS.contentType}": "${JSON_MEDIA_TYPE}",`,
        '    },',
        body !== undefined && '    data=body,',
        ')',
      ]),
    `with urlopen(${isPlain ? `"${url}"` : 'request'}) as response:`,
    '    print(json.load(response))',
  ])
  const thrown = ['\tif err != nil {', '\t\tpanic(err)', '\t}']
  const go = linesOf([
    'package main',
    '',
    'import (',
    '\t"io"',
    '\t"net/http"',
    '\t"os"',
    body !== undefined && '\t"strings"',
    ')',
    '',
    'func main() {',
    json !== undefined && `\tbody := strings.NewReader(\`${json}\`)`,
    ...(isPlain
      ? [`\tresponse, err := http.Get("${url}")`]
      : [
          `\trequest, err := http.NewRequest("${method}", "${url}", ${body === undefined ? 'nil' : 'body'})`,
          ...thrown,
          needsKey &&
            `\trequest.Header.Set("${HEADERS.authorization}", "Bearer "+os.Getenv("API_KEY"))`,
          body !== undefined &&
            `\trequest.Header.Set("${HEADERS.contentType}", "${JSON_MEDIA_TYPE}")`,
          '\tresponse, err := http.DefaultClient.Do(request)',
        ]),
    ...thrown,
    '\tdefer response.Body.Close()',
    '\tio.Copy(os.Stdout, response.Body)',
    '}',
  ])
  return [
    { language: 'curl', text: curlSample({ row, url, body, needsKey }) },
    { language: 'javascript', text: javascript },
    { language: 'python', text: python },
    { language: 'go', text: go },
  ]
}
