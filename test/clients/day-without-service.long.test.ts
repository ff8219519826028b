import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { createClient } from '@public-api/client-internal/client-with-copies'
import { fetchCopyProof } from '@public-api/client-internal/copies/fetch-copy-proof'
import { createFileResponseStore } from '@public-api/client-internal/node/index'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { key } from '../client/scripted-client.ts'
import {
  makeGoWorkspace,
  missingProgram,
  missingPython,
  runCommand,
  runPython,
} from '../docs/verifiers.ts'
import { closeServer } from '../support/loopback-server.ts'
import { runApp, TEST_NOW_MS } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// The service, its database and its CDN are away for 24 hours of a simulated clock, over real connections: first the copy
// is left, which is not refreshed, then only what each client stored.

const TARGETS = [READ_PATHS.status, READ_PATHS.roadmap, READ_PATHS.version]
const DAY = Array.from({ length: 25 }, (_, hour) => hour)

/** What a client reads, and when. */
interface Reading {
  readonly origin: string
  readonly mirror: string
  readonly pin: string
  readonly store: string
  readonly nowMs: number
  readonly hours: readonly number[]
  readonly targets: readonly string[]
}

/** `hour target source ageSeconds provedAtMs etag`, for each read. */
type Reader = (t: TestContext, reading: Reading) => Promise<readonly string[]>

const readInJavaScript: Reader = async (_t, reading) => {
  const { origin, mirror, pin, store, nowMs, hours, targets } = reading
  const lines: string[] = []
  let hour = 0
  const client = createClient({
    baseUrl: origin,
    pinnedKeyIds: [pin],
    mirrors: [mirror],
    store: createFileResponseStore(store),
    maxRetries: 0,
    now: () => nowMs + hour * 3_600_000,
  })
  for (hour of hours) {
    for (const target of targets) {
      const { source, ageSeconds, provedAtMs, etag } = await client.get(target)
      lines.push(`${hour} ${target} ${source} ${ageSeconds} ${provedAtMs} ${etag}`)
    }
  }
  return lines
}

const PYTHON_PROGRAM = `
import json, sys
from public_api import Client
r = json.loads(sys.argv[1])
hour = 0
client = Client(r["origin"], pinned_key_ids=[r["pin"]], mirrors=[r["mirror"]], store=r["store"],
                max_retries=0, now=lambda: r["nowMs"] / 1000 + hour * 3600)
for hour in r["hours"]:
    for target in r["targets"]:
        result = client.get(target)
        print(hour, target, result.source, result.age_seconds, result.proved_at_ms, result.etag)
`

const GO_PROGRAM = `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	publicapi "PATH"
)

func main() {
	var r struct {
		Origin, Mirror, Pin, Store string
		NowMs                      int64
		Hours                      []int
		Targets                    []string
	}
	fail(json.Unmarshal([]byte(os.Args[1]), &r))
	hour := 0
	client, err := publicapi.NewClient(publicapi.Options{
		BaseURL: r.Origin, PinnedKeyIDs: []string{r.Pin}, Mirrors: []string{r.Mirror}, Store: r.Store, MaxRetries: -1,
		Now: func() time.Time { return time.UnixMilli(r.NowMs).Add(time.Duration(hour) * time.Hour) },
	})
	fail(err)
	for _, hour = range r.Hours {
		for _, target := range r.Targets {
			v, err := client.Get(context.Background(), target)
			fail(err)
			fmt.Println(hour, target, v.Source, v.AgeSeconds, v.ProvedAt.UnixMilli(), v.ETag)
		}
	}
}

func fail(err error) {
	if err != nil {
		panic(err)
	}
}
`

const linesOf = ({ status, out, error }: Awaited<ReturnType<typeof runCommand>>) => {
  assert.equal(status, 0, error)
  return out.trim().split('\n')
}

const readInPython: Reader = async (_t, reading) =>
  linesOf(await runPython(['-c', PYTHON_PROGRAM, JSON.stringify(reading)]))

const readInGo: Reader = async (t, reading) => {
  const { folder, env, run } = makeGoWorkspace(t)
  const { out } = await run(['list', '-m'])
  const program = GO_PROGRAM.replace('PATH', out.trim())
  writeFileSync(path.join(folder, 'program', 'main.go'), program)
  return linesOf(await runCommand('go', ['run', './program', JSON.stringify(reading)], env, folder))
}

for (const [language, missing, read] of [
  ['JavaScript', undefined, readInJavaScript],
  ['Python', missingPython(), readInPython],
  ['Go', missingProgram('go'), readInGo],
] as const) {
  void test(
    `${language} reads for 24 hours without the service`,
    { skip: missing ?? false },
    async (t) => {
      const app = await runApp(t)
      const open = async (respond: RequestListener) => {
        const server = createServer(respond)
        await once(server.listen(0, '127.0.0.1'), 'listening')
        t.after(() => closeServer(server))
        const { port } = server.address() as AddressInfo
        return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) }
      }
      const passOn = (url: string, response: ServerResponse) =>
        void app.fetch(url).then(async (sent) => {
          response.writeHead(sent.status, [...sent.headers].flat()).end(await sent.bytes())
        })
      const service = await open(({ url = '' }, response) => passOn(url, response))
      const { entry, ...proof } = await fetchCopyProof(
        createClient({ baseUrl: service.url, now: () => TEST_NOW_MS }),
      )
      const copy = await open(({ url = '' }, response) => {
        if (url === '/now.json') response.end(JSON.stringify(proof))
        else passOn(url, response)
      })
      const etags = await Promise.all(
        TARGETS.map(async (target) => (await app.fetch(target)).headers.get('etag')),
      )
      const about = {
        origin: service.url,
        mirror: copy.url,
        pin: key.keyId,
        store: temporaryFolder(t),
        nowMs: TEST_NOW_MS,
        targets: TARGETS,
      }
      const expected = (source: string, hours: readonly number[]) =>
        hours.flatMap((hour) =>
          TARGETS.map(
            (target, at) =>
              `${hour} ${target} ${source} ${hour * 3600} ${TEST_NOW_MS} ${etags[at]}`,
          ),
        )

      assert.deepEqual(await read(t, { ...about, hours: [0] }), expected('origin', [0]))
      await service.close()
      assert.deepEqual(await read(t, { ...about, hours: DAY }), expected('mirror', DAY))
      await copy.close()
      assert.deepEqual(await read(t, { ...about, hours: DAY }), expected('store', DAY))
    },
  )
}
