import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text as readText } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { LIMITS } from '@public-api/contract/terms/limits'
import { solveAltcha } from '../../src/service/challenge/altcha-challenge-solver.ts'
import { createCanaries, type Canaries } from '../support/canary.ts'
import { listFolder, makeDeployment, type Deployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { filesBelow, findNeedles, needlesOfText } from '../support/leak-search.ts'
import { serve } from '../support/loopback-server.ts'
import { GOOD_BODY, REGISTER } from '../support/registering-app.ts'
import { databaseFileOf, say, startRegistering, type Said } from '../support/registering-service.ts'
import { type ServiceProcess } from '../support/service-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// Everything a visitor says is random, so what is found again anywhere was put there by the service.

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const EASY_CHALLENGE_MAIN = fileURLToPath(
  new URL('../support/easy-challenge-main.ts', import.meta.url),
)
const HOST = '127.0.0.2'
/** The proxy in front, and a visitor who comes without it. */
const PROXY = '127.0.0.73'
const VISITOR = '127.0.0.74'

/** The verification service of a hosted challenge, with everything it received. */
interface FakeVerifier {
  readonly url: string
  received(): string
}

/** Says yes to tokens that begin with `good`; the others it answers badly in different ways, and repeats them. */
async function runVerifier(t: TestContext): Promise<FakeVerifier> {
  const received: string[] = []
  const origin = await serve(t, (request, response) => {
    void readText(request).then((body) => {
      received.push([request.url, ...request.rawHeaders, body].join('\n'))
      const token = new URLSearchParams(body).get('response') ?? ''
      if (token.startsWith('fault')) response.statusCode = 500
      const verdict = token.startsWith('good')
        ? { success: true }
        : { success: false, 'error-codes': ['invalid-input-response', token], token }
      response.end(token.startsWith('nonsense') ? token : JSON.stringify(verdict))
    })
  })
  return { url: `${origin}/`, received: () => received.join('\n') }
}

/** The visitors of a test: their address, their canaries and how they solve challenges. */
interface Visitors {
  readonly port: number
  readonly canaries: Canaries
  /** A token that is good for one registration. */
  token(): Promise<string>
}

/** One request with everything that could give its sender away, behind the proxy unless `headers` says otherwise. */
function ask(
  { port, canaries }: Visitors,
  { body, address = canaries.ipv4(), ...rest }: AskOptions,
): Promise<Said> {
  const { method = 'POST', target = REGISTER, headers = {}, localAddress = PROXY } = rest
  return say(port, {
    method,
    target: `${target}?${canaries.text('query name', 'n')}=${canaries.text('query', 'v')}`,
    host: HOST,
    localAddress,
    headers: {
      'Content-Type': 'application/json',
      'X-Forwarded-For': address,
      'User-Agent': canaries.text('user agent', 'Agent/'),
      Cookie: `a=${canaries.text('cookie', 'c')}`,
      'Accept-Language': canaries.text('language', 'en, x-'),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

interface AskOptions {
  readonly method?: string
  readonly target?: string
  readonly body?: unknown
  readonly address?: string
  readonly headers?: { readonly [name: string]: string }
  readonly localAddress?: string
}

function makeBody(
  canaries: Canaries,
  challengeToken: string,
): { readonly [name: string]: unknown } {
  return {
    ...GOOD_BODY,
    email: canaries.email(),
    useCase: canaries.note(
      'use case',
      `${canaries.text('use case')} ทดสอบ ${canaries.text('use case')} \u{1F511}`,
    ),
    challengeToken,
  }
}

/** Every way in which a registration may go, and other requests; gives the codes of what was refused. */
async function visit(visitors: Visitors): Promise<ReadonlySet<string | undefined>> {
  const { port, canaries, token } = visitors
  const responses: Said[] = []
  const send = async (options: AskOptions): Promise<void> => {
    responses.push(await ask(visitors, options))
  }
  const bogus = () => canaries.text('token', 'bad-')
  const body = () => makeBody(canaries, bogus())

  const good = makeBody(canaries, await token())
  await send({ body: good })
  const email = String(good['email']).toUpperCase()
  await send({ body: { ...makeBody(canaries, await token()), email }, address: canaries.ipv6() })
  const unicode = `${canaries.text('local part', 'u')}@bücher-${canaries.text('domain')}.example`
  const mapped = `::ffff:${canaries.ipv4()}`
  await send({ body: { ...makeBody(canaries, await token()), email: unicode }, address: mapped })
  await send({ body: makeBody(canaries, await token()), localAddress: VISITOR })
  const behind = `${canaries.ipv6()}, ${canaries.ipv4()}`
  await send({ body: makeBody(canaries, await token()), address: behind })

  await send({ body: `{"email":"${canaries.email()}", ${canaries.text('broken JSON')}` })
  await send({ body: { ...body(), [canaries.text('field', 'f')]: canaries.text('field value') } })
  await send({ body: { ...body(), password: canaries.text('password') } })
  await send({ body: { ...body(), email: `${canaries.email()} <${canaries.email()}>` } })
  await send({ body: { ...body(), locale: canaries.text('locale') } })
  await send({ body: { ...body(), interests: [canaries.text('interest')] } })
  await send({ body: { ...body(), consent: canaries.text('consent') } })
  await send({ body: { ...body(), useCase: canaries.text('use case').repeat(40) } })
  await send({ body: { ...body(), sessionId: canaries.text('session') } })
  await send({ body: { ...body(), challengeToken: '' } })
  await send({ body: body() })
  await send({ body: { ...body(), challengeToken: canaries.text('token', 'fault-') } })
  await send({ body: { ...body(), challengeToken: canaries.text('token', 'nonsense-') } })
  await send({ body: { ...body(), useCase: canaries.text('use case').repeat(1000) } })
  await send({
    body: body(),
    headers: { Origin: `https://${canaries.text('origin', 'o')}.example` },
  })
  await send({
    body: body(),
    headers: { 'Content-Type': `text/${canaries.text('media type', 'm')}` },
  })
  await send({
    body: body(),
    headers: { Referer: `https://r.example/${canaries.text('referer')}` },
  })
  const crowded = canaries.ipv4()
  for (let each = 0; each <= LIMITS.registrationPerActor.requests; each += 1)
    await send({ body: body(), address: crowded })

  const key = `svk_${canaries.text('key ID')}_${canaries.text('key').repeat(3).slice(0, 43)}`
  await send({ method: 'GET', target: '/api/v1/status', headers: { 'X-SVC-Key': key } })
  await send({
    method: 'GET',
    target: '/api/v1/keys/self',
    headers: { Authorization: `Bearer ${key}` },
  })
  await send({ method: 'DELETE', target: '/api/v1/keys/self', headers: { 'X-SVC-Key': key } })
  await send({ method: 'GET', target: `/api/v1/${canaries.email()}` })
  await send({ method: 'GET', target: `/${canaries.email()}` })
  await send({ method: 'GET', target: '/api/v1/early-access' })
  await send({ method: canaries.text('method', 'M'), target: REGISTER }).catch(() => {})

  // Incomplete and malformed requests.
  const head = `POST ${REGISTER} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${canaries.ipv4()}\r\n`
  const lengths = 'Content-Type: application/json\r\nContent-Length: 900\r\n\r\n'
  await sendBytes(port, `${head}${lengths}{"email":"${canaries.email()}`)
  await sendBytes(port, `${head}${canaries.text('broken header')}\r\n\r\n`)
  await sendBytes(port, `${canaries.text('broken line')} ${canaries.email()}\r\n\r\n`)
  return new Set(responses.map(({ code }) => code))
}

/** Sends bytes and nothing more; resolves when the connection has ended. */
function sendBytes(port: number, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: HOST, localAddress: PROXY })
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.resume()
    socket.end(bytes)
  })
}

/** What every provider's visitors run into. */
const REFUSALS = [
  'CHALLENGE_FAILED',
  'CHALLENGE_REQUIRED',
  'CONSENT_REQUIRED',
  'DUPLICATE',
  'FORBIDDEN_FIELD',
  'INVALID_EMAIL',
  'INVALID_INPUT',
  'INVALID_INTERESTS',
  'INVALID_JSON',
  'INVALID_LOCALE',
  'INVALID_SESSION_ID',
  'INVALID_USE_CASE',
  'NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'RATE_LIMITED',
  'REQUEST_REJECTED',
  'UNSUPPORTED_MEDIA_TYPE',
]

/** Solves a challenge, and remembers every part of the solution. */
async function altchaToken({ port, canaries }: Omit<Visitors, 'token'>): Promise<string> {
  const { text } = await say(port, { target: '/challenge', host: HOST, localAddress: PROXY })
  const { token } = await solveAltcha(text, 600_000)
  const { challenge, solution } = JSON.parse(atob(token)) as {
    readonly challenge: {
      readonly parameters: { readonly [name: string]: unknown }
      readonly signature: string
    }
    readonly solution: { readonly derivedKey: string }
  }
  const { nonce, salt, keyPrefix, keySignature } = challenge.parameters
  const parts = { nonce, salt, keyPrefix, keySignature, signature: challenge.signature }
  for (const [name, value] of Object.entries({ ...parts, derivedKey: solution.derivedKey })) {
    canaries.note(`token, its ${name}`, String(value))
    canaries.note(
      `token, its ${name} in bytes`,
      Buffer.from(String(value), 'hex').toString('base64'),
    )
  }
  for (const at of [0.3, 0.5, 0.7]) {
    canaries.note('token, a piece of it', token.slice(token.length * at).slice(0, 40))
  }
  return token
}

function hostedToken(canaries: Canaries): string {
  const token = canaries.text('token', 'good-')
  const hash = (form: 'hex' | 'base64') => createHash('sha256').update(token).digest(form)
  canaries.note('token, its digest', hash('hex'))
  canaries.note('token, its digest', hash('base64').slice(0, 42))
  return token
}

/** Where the service is, and everything that was said to it. */
interface Watched {
  readonly deployment: Deployment
  readonly temporary: string
  readonly canaries: Canaries
}

/** Asserts that nothing that was sent is in any file of the deployment or in the output of the process. */
function assertNothingFound(
  { deployment, temporary, canaries }: Watched,
  services: readonly ServiceProcess[],
): void {
  const { folder, secretsDir, dataDir } = deployment
  const isSecret = (file: string) => file.startsWith(secretsDir)
  const places = new Map([...filesBelow(folder, isSecret), ...filesBelow(temporary)])
  for (const [index, service] of services.entries()) {
    places.set(`log ${index}`, Buffer.from(service.stdout() + service.stderr()))
  }
  const needles = canaries.needles()
  for (const [place, bytes] of places) assert.deepEqual(findNeedles(bytes, needles), [], place)

  // Four bytes are found in random ones now and then, but hardly those of several addresses.
  const data = [...places].filter(([place]) => place.startsWith(dataDir)).map(([, bytes]) => bytes)
  assert.ok(data.length > 0)
  const found = canaries
    .rawIpv4()
    .filter((address) => data.some((bytes) => bytes.includes(address)))
  assert.ok(found.length < 3, `the bytes of ${found.length} IPv4 addresses are in the data folder`)
}

/** Regular files that a process has open to write, and where. */
function filesOpenToWrite(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      const file = readlinkSync(`/proc/${pid}/fd/${descriptor}`)
      const flags = /^flags:\s*(\d+)$/m.exec(
        readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8'),
      )
      const isWritable = (Number.parseInt(flags?.[1] ?? '0', 8) & 3) !== 0
      return isWritable && file.startsWith('/') && !file.startsWith('/dev/') ? [file] : []
    } catch {
      return []
    }
  })
}

for (const provider of ['altcha', 'turnstile', 'hcaptcha'] as const) {
  test(`with ${provider}, no visitor data is in a file, in the log or sent to the verifier`, async (t) => {
    const deployment = makeDeployment(t)
    const temporary = temporaryFolder(t)
    const madeThere: (string | null)[] = []
    const watcher = watch(temporary, (_event, name) => madeThere.push(name))
    t.after(() => watcher.close())
    const verifier = await runVerifier(t)
    const canaries = createCanaries()
    const watched = { deployment, temporary, canaries }
    const env = {
      HOST,
      TMPDIR: temporary,
      SVC_LOG_LEVEL: 'trace',
      SVC_TRUSTED_PROXIES: PROXY,
      SVC_CHALLENGE: provider,
      ...(provider === 'altcha'
        ? {}
        : {
            SVC_CHALLENGE_SITE_KEY: 'the-site-key',
            SVC_CHALLENGE_SECRET: 'the-secret-key',
            SVC_CHALLENGE_VERIFY_URL: verifier.url,
          }),
    }
    canaries.note('peer', PROXY)
    canaries.note('peer', VISITOR)

    const program = [provider === 'altcha' ? EASY_CHALLENGE_MAIN : MAIN]
    const tickets: string[] = []
    const services: ServiceProcess[] = []
    for (const ending of ['SIGTERM', 'SIGKILL'] as const) {
      const { service, port } = await startRegistering(t, env, { deployment, program })
      services.push(service)
      const visitors: Visitors = {
        port,
        canaries,
        token: async () =>
          provider === 'altcha' ? altchaToken({ port, canaries }) : hostedToken(canaries),
      }
      const codes = await visit(visitors)
      for (const code of REFUSALS) assert.ok(codes.has(code), `no request got ${code}`)
      if (provider !== 'altcha') assert.ok(codes.has('REGISTRATION_UNAVAILABLE'))

      // A failing database makes the log speak.
      const database = new DatabaseSync(databaseFileOf(deployment))
      database.exec('BEGIN IMMEDIATE')
      const refused = await ask(visitors, { body: makeBody(canaries, await visitors.token()) })
      assert.equal(refused.code, 'REGISTRATION_UNAVAILABLE')
      database.close()
      await service.line('Refused')
      const { ticket } = await ask(visitors, { body: makeBody(canaries, await visitors.token()) })
      tickets.push(ticket ?? 'none')

      if (process.platform === 'linux') {
        const elsewhere = filesOpenToWrite(service.pid).filter(
          (file) => !file.startsWith(deployment.dataDir),
        )
        assert.deepEqual(elsewhere, [])
      }
      assert.deepEqual(listFolder(deployment.dataDir), [
        'service.sqlite',
        'service.sqlite-shm',
        'service.sqlite-wal',
      ])
      assertNothingFound(watched, services)
      service.signal(ending)
      await service.ended
      assertNothingFound(watched, services)
    }
    assert.deepEqual(madeThere, [], 'nothing was ever made in the folder for temporary files')

    // The search reads what is there: the database has a ticket as it was issued.
    const data = Buffer.concat([...filesBelow(deployment.dataDir).values()])
    for (const ticket of tickets) {
      assert.notDeepEqual(findNeedles(data, needlesOfText('ticket', ticket)), [])
    }
    const received = verifier.received()
    assert.equal(received === '', provider === 'altcha')
    const others = canaries.needles((what) => !what.startsWith('token'))
    assert.deepEqual(findNeedles(Buffer.from(received), others), [])
    assert.ok(!/remote_?ip/i.test(received))
  })
}

test('the leak search finds every needle in each spelling', (t) => {
  const folder = temporaryFolder(t)
  const canaries = createCanaries()
  const email = canaries.email()
  const [local = ''] = email.split('@')
  const word = canaries.note('use case', 'ทดสอบ \u{1F511} "so" to/say')
  const ipv4 = canaries.ipv4()
  const ipv6 = canaries.ipv6()
  const groups = ipv6.split(':')
  const raw = Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
  const utf16be = Buffer.from(email, 'utf16le').swap16()
  const hex = Buffer.from(ipv4.split('.').map(Number)).toString('hex')
  const spellings: readonly (readonly [what: string, bytes: Buffer | string])[] = [
    ['local part', email],
    ['domain', email.toUpperCase()],
    ['local part', local.toLowerCase()],
    ['local part', Buffer.from(email, 'utf16le')],
    ['local part', utf16be],
    ['domain', Buffer.from(email).toString('hex').toUpperCase()],
    ['domain', Buffer.from(`x${email}`).toString('base64')],
    ['domain', Buffer.from(`xy${email}`).toString('base64url')],
    ['use case', word],
    ['use case', JSON.stringify({ word })],
    ['use case', encodeURIComponent(word)],
    ['use case', Buffer.from(`{"useCase":"${word}"}`).toString('base64')],
    [ipv4, `[::ffff:${ipv4}]:443`],
    [ipv4, `::ffff:${hex.slice(0, 4)}:${hex.slice(4)}`],
    [ipv4, String(Number.parseInt(hex, 16))],
    [ipv6, ipv6.toUpperCase()],
    [ipv6, ipv6.replace('db8', '0db8')],
    [ipv6, `${groups.slice(0, 4).join(':')}::/64`],
    [ipv6, raw],
    [ipv6, raw.toString('hex')],
  ]
  mkdirSync(path.join(folder, 'deep'))
  const file = path.join(folder, 'deep', 'file')
  for (const [what, bytes] of spellings) {
    writeFileSync(file, Buffer.concat([Buffer.from('xx'), Buffer.from(bytes), Buffer.from('yy')]))
    const found = [...filesBelow(folder)].flatMap(([, each]) =>
      findNeedles(each, canaries.needles()),
    )
    assert.ok(
      found.some((each) => each.startsWith(what)),
      `${String(bytes)} is not found: ${found.join()}`,
    )
  }
  writeFileSync(file, 'nothing of that')
  assert.deepEqual(findNeedles(readFileSync(file), canaries.needles()), [])
})

test('a registration leaves the heap after a few others', async (t) => {
  const deployment = makeDeployment(t)
  const program = ['--heapsnapshot-signal=SIGUSR2', MAIN]
  const { service, register } = await startRegistering(t, {}, { deployment, program })
  const isSnapshot = (name: string) => name.endsWith('.heapsnapshot')
  /** Collects the garbage, and gives all strings that are left. Needs no thread of the service's own. */
  const takeSnapshot = async (): Promise<Buffer> => {
    service.signal('SIGUSR2')
    const name = await eventually('a snapshot', () =>
      listFolder(deployment.folder).find(isSnapshot),
    )
    const file = path.join(deployment.folder, name)
    const text = await eventually('the end of the snapshot', () => {
      const bytes = readFileSync(file)
      return bytes.subarray(-3).toString().trim().endsWith(']}') ? bytes : undefined
    })
    rmSync(file)
    return text
  }
  const canaries = createCanaries()
  for (let each = 0; each < 20; each += 1) {
    const address = each % 2 === 0 ? canaries.ipv4() : canaries.ipv6()
    const headers = { 'User-Agent': canaries.text('user agent') }
    const body = { email: canaries.email(), useCase: canaries.text('use case') }
    assert.equal((await register(body, { address, headers })).status, 200)
  }
  for (let each = 0; each < 100; each += 1) {
    assert.equal((await register({ email: `other-${each}@example.org` })).status, 200)
  }
  const snapshot = await takeSnapshot()
  const recipient = readFileSync(path.join(deployment.secretsDir, 'waitlist-recipient.txt'), 'utf8')
  assert.ok(snapshot.includes(recipient.trim()), 'the snapshot has the strings that are alive')
  assert.deepEqual(findNeedles(snapshot, canaries.needles()), [])
})
