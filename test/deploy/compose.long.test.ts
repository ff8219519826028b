import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { userInfo } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { parse } from 'yaml'
import { generateIdentity } from '../../src/crypto/age-file.ts'
import { solveAltcha } from '../../src/service/challenge/altcha-challenge-solver.ts'
import { hasProgram } from '../caches/cache-process.ts'
import { collectText } from '../support/collect-text.ts'
import { eventually } from '../support/eventually.ts'
import { postgresMissing, startPostgres } from '../support/postgres-server.ts'
import { GOOD_BODY, REGISTER } from '../support/registering-app.ts'
import { say } from '../support/registering-service.ts'
import { outcomeOf, SVC } from '../support/run-program.ts'
import { succeeded } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface ComposeService {
  readonly environment?: { readonly [name: string]: string }
  readonly command?: readonly string[]
  readonly user?: string
  readonly healthcheck?: { readonly test: readonly string[] }
}

const NAMESPACES = ['--mount', '--net', '--propagation', 'private']
/** The services' addresses in the subnet of compose.yaml. The first is that from which Caddy connects. */
const HOSTS = ['proxy', 'node-1', 'node-2', 'postgres']
const ORIGIN_HOST = 'api.example.org'
const addressOf = (service: string) => `172.30.0.${HOSTS.indexOf(service) + 2}`

const skip =
  postgresMissing ??
  (userInfo().uid === 0 &&
  ['unshare', 'ip', 'setpriv', 'caddy', 'openssl', 'pg_isready'].every(hasProgram) &&
  spawnSync('unshare', [...NAMESPACES, 'true']).status === 0
    ? false
    : 'needs root, namespaces, iproute2, Caddy, openssl and pg_isready')

/** Gives this machine the network and the folders of the file, in namespaces. */
const ENTER = `
ip link set lo up
${HOSTS.map((name) => `ip addr add ${addressOf(name)}/24 dev lo`).join('\n')}
printf '%s\\n' '127.0.0.1 localhost ${ORIGIN_HOST}' ${HOSTS.map((name) => `'${addressOf(name)} ${name}'`).join(' ')} > "$FOLDER/hosts"
mount --bind "$FOLDER/hosts" /etc/hosts
for folder in /srv /run /var/lib; do mount -t tmpfs tmpfs "$folder"; done
mkdir -p /srv/releases /run/secrets /var/lib/public-api
mount --bind -o ro releases /srv/releases
cd /run/secrets
openssl genpkey -algorithm ed25519 -out signing-key.pem
openssl rand -hex 32 > key-hash-secret.txt
openssl rand -hex 32 > address-hash-secret.txt
echo "$RECIPIENT" > waitlist-recipient.txt
chmod 600 ./*
chown 65532:65532 ./* /var/lib/public-api
cd "$CHECKOUT"
exec "$NODE" --test --test-reporter=spec "$FILE"`

const COMPOSE = parse(
  readFileSync('deploy/container/compose.yaml', 'utf8').replaceAll(
    /\$\{POSTGRES_PASSWORD:\?[^}]*\}/g,
    'the-password',
  ),
  { merge: true },
) as { readonly services: Readonly<Record<string, ComposeService>> }

/** What the Containerfile sets and runs. */
function containerfile(): {
  readonly env: { readonly [name: string]: string }
  readonly command: readonly string[]
} {
  const text = readFileSync('deploy/container/Containerfile', 'utf8')
  const [, env = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(text) ?? []
  const listOf = (instruction: string) =>
    JSON.parse(new RegExp(`^${instruction} (.*)$`, 'm').exec(text)?.[1] ?? '') as string[]
  return {
    env: Object.fromEntries(
      [...env.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    ),
    command: [...listOf('ENTRYPOINT'), ...listOf('CMD')],
  }
}

function serviceOf(name: string): ComposeService {
  return COMPOSE.services[name] ?? assert.fail(`no service ${name}`)
}

/** Starts a program that ends with the test. */
function start(t: TestContext, program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = collectText(child.stdout, child.stderr)
  const ended = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.after(kill)
  return { output: () => output.text, kill }
}

/** PostgreSQL as its image starts it: a superuser with a password that every connection over the network must give. */
async function startDatabase(t: TestContext): Promise<void> {
  const { environment = {}, command = [], healthcheck } = serviceOf('postgres')
  const { POSTGRES_USER: user, POSTGRES_DB: database, POSTGRES_PASSWORD: password } = environment
  const [program, ...settings] = command.filter((word) => word !== '-c')
  assert.equal(program, 'postgres')
  const hba = path.join('/run', 'pg_hba.conf')
  writeFileSync(hba, `host all postgres 127.0.0.1/32 trust\nhost all all all scram-sha-256\n`)
  const { url } = await startPostgres(t, {
    port: '5432',
    listen_addresses: `127.0.0.1,${addressOf('postgres')}`,
    hba_file: hba,
    ...Object.fromEntries(settings.map((each) => each.split('='))),
  })
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`CREATE ROLE ${user} SUPERUSER LOGIN PASSWORD '${password}'`)
  await client.query(`CREATE DATABASE ${database} OWNER ${user}`)
  await client.end()
  const [kind, check = ''] = healthcheck?.test ?? []
  assert.equal(kind, 'CMD-SHELL')
  execFileSync('sh', ['-c', check], { env: { ...process.env, PGHOST: addressOf('postgres') } })
}

/** Starts a node. Unlike in containers, nodes share one network: each has its own address and admin port. */
async function startNode(t: TestContext, name: string) {
  const image = containerfile()
  const { environment, user = '' } = serviceOf(name)
  const adminPort = String(Number(image.env['SVC_ADMIN_PORT']) + HOSTS.indexOf(name))
  const env = { ...image.env, ...environment, HOST: addressOf(name), SVC_ADMIN_PORT: adminPort }
  const [uid = '', gid = ''] = user.split(':')
  const command = image.command.map((word) => word.replace('/opt/public-api/', './'))
  const rights = [
    '--reuid',
    uid,
    '--regid',
    gid,
    '--clear-groups',
    '--no-new-privs',
    '--bounding-set=-all',
  ]
  const node = start(t, 'setpriv', [...rights, ...command], env)
  await eventually(`${name} is healthy`, () => {
    const { status } = spawnSync(process.execPath, ['deploy/container/health-check.mjs'], {
      env: { SVC_ADMIN_PORT: adminPort },
    })
    assert.doesNotMatch(node.output(), /does not start/)
    return status === 0 || undefined
  })
  return node
}

/** Starts Caddy with the file for several nodes, and a private CA instead of a public one. Returns the CA's file. */
async function startProxy(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t)
  const documented = readFileSync('deploy/container/Caddyfile', 'utf8')
  const ca = `\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tstorage file_system ${folder}\n\tservers {`
  assert.equal(documented.split('\tservers {').length, 2)
  const file = path.join(folder, 'Caddyfile')
  writeFileSync(file, documented.replace('\tservers {', ca))
  start(t, 'caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    ...process.env,
    HOME: folder,
  })
  const root = path.join(folder, 'pki', 'authorities', 'local', 'root.crt')
  await eventually('Caddy serves', () => {
    const args = ['-s', '-o', '/dev/null', '-w', '%{http_code}', '--cacert', root]
    const { stdout } = spawnSync('curl', [...args, `https://${ORIGIN_HOST}/api/v1/time`])
    return stdout.toString() === '200' || undefined
  })
  return root
}

/** Sends a request through the proxy, from an address of loopback. Resolves with its status and error code. */
function ask(ca: string, localAddress: string, body?: string): Promise<string> {
  const method = body === undefined ? 'GET' : 'POST'
  const target = body === undefined ? '/api/v1/status' : REGISTER
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `https://${ORIGIN_HOST}${target}`,
      {
        method,
        localAddress,
        ca: readFileSync(ca),
        headers: { 'Content-Type': 'application/json' },
      },
      (incoming) => {
        let text = ''
        incoming.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        incoming.on('end', () => {
          const { error } = JSON.parse(text) as { readonly error?: { readonly code: string } }
          resolve(`${incoming.statusCode} ${error?.code ?? ''}`.trim())
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

if (process.env['COMPOSE_NAMESPACE'] === undefined) {
  test('compose.yaml runs', { skip }, async (t) => {
    const { recipient } = generateIdentity()
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const child = spawn('unshare', [...NAMESPACES, 'bash', '-euc', ENTER], {
      env: {
        ...env,
        COMPOSE_NAMESPACE: '1',
        FOLDER: temporaryFolder(t),
        RECIPIENT: recipient,
        CHECKOUT: process.cwd(),
        NODE: process.execPath,
        FILE: fileURLToPath(import.meta.url),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    assert.match(succeeded(await outcomeOf(child)), /ℹ pass 1\n/)
  })
} else {
  test('two nodes, PostgreSQL and Caddy work as compose.yaml configures them', async (t) => {
    await startDatabase(t)
    const nodes = [await startNode(t, 'node-1'), await startNode(t, 'node-2')]
    const ca = await startProxy(t)

    const child = spawn(process.execPath, [SVC, 'doctor', `https://${ORIGIN_HOST}`, '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
    })
    const { out, error } = await outcomeOf(child)
    const { errors, warnings } = JSON.parse(out) as { errors: number; warnings: number }
    assert.deepEqual({ errors, warnings }, { errors: 0, warnings: 0 }, out + error)

    // A challenge of one node, spent on the other.
    const challenge = await say(8080, { host: 'node-1', target: '/challenge' })
    const { token } = await solveAltcha(challenge.text, 600_000)
    const register = (host: string) =>
      say(8080, {
        host,
        method: 'POST',
        target: REGISTER,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...GOOD_BODY, challengeToken: token }),
      })
    assert.equal((await register('node-2')).status, 200)
    assert.equal((await register('node-1')).code, 'CHALLENGE_FAILED')

    // Limits count the client that Caddy names, over both nodes.
    const statuses = []
    for (let count = 0; count < 6; count += 1)
      statuses.push(await ask(ca, '127.0.0.8', '{"email":"x"}'))
    assert.deepEqual(statuses, [
      ...Array.from({ length: 5 }, () => '400 INVALID_EMAIL'),
      '429 RATE_LIMITED',
    ])
    assert.equal(await ask(ca, '127.0.0.9', '{"email":"x"}'), '400 INVALID_EMAIL')

    for (const { output } of nodes) assert.doesNotMatch(output(), /"level":"(?:warn|error|fatal)"/)
    await nodes[0]?.kill()
    for (let count = 0; count < 20; count += 1) assert.equal(await ask(ca, '127.0.0.8'), '200')
  })
}
