import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { parse } from 'yaml'
import { generateIdentity } from '../../src/crypto/age-file.ts'
import { freePort, hasProgram } from '../caches/cache-process.ts'
import { collectText } from '../support/collect-text.ts'
import { eventually } from '../support/eventually.ts'
import { svc } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const BASE_IMAGE = 'localhost/public-api-base:test'
const IMAGE = 'localhost/public-api:test'
/** What the base needs: a shell for RUN, and the libraries of Node. */
const PACKAGES =
  'base-files ca-certificates coreutils dash libacl1 libatomic1 libattr1 libc6 libgcc-s1 libgmp10 libpcre2-8-0 libselinux1 libstdc++6'
/** The user of the Containerfile. */
const USER = 65_532

const missing =
  userInfo().uid === 0 &&
  ['buildah', 'unshare', 'apt-get', 'dpkg-deb'].every(hasProgram) &&
  spawnSync('unshare', ['--mount', 'true']).status === 0
    ? undefined
    : 'needs root, namespaces, buildah, unshare and the packages of Debian'

function run(script: string, env: { readonly [name: string]: string }): string {
  return execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
    encoding: 'utf8',
    env: { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Builds the image of the last commit on a base of Debian packages, and mounts a container's file system. */
function mountContainer(t: TestContext): string {
  const folder = temporaryFolder(t)
  run(
    `cd "$FOLDER"
    apt-get download ${PACKAGES} >&2
    mkdir -p base/usr/bin base/usr/lib base/usr/lib64 base/usr/sbin
    for name in bin lib lib64 sbin; do ln -s "usr/$name" "base/$name"; done
    for file in *.deb; do dpkg-deb --fsys-tarfile "$file" | tar -x -C base --keep-directory-symlink; done
    container=$(buildah from scratch)
    buildah add -q "$container" base /
    buildah commit -q "$container" ${BASE_IMAGE}
    buildah rm "$container"`,
    { FOLDER: folder },
  )
  run(
    `BUILDER=buildah deploy/container/build.sh ${IMAGE} HEAD --isolation chroot --pull=never \
      --build-arg BASE=${BASE_IMAGE} --build-arg INSTALL=true`,
    {},
  )
  const container = run(`buildah from --pull=never ${IMAGE}`, {}).trim()
  t.after(() => run(`buildah rm ${container}; buildah rmi ${IMAGE} ${BASE_IMAGE}`, {}))
  return run(`buildah mount ${container}`, {}).trim()
}

async function makeState(t: TestContext) {
  const folder = temporaryFolder(t)
  const secrets = path.join(folder, 'secrets')
  const data = path.join(folder, 'data')
  for (const each of [secrets, data]) mkdirSync(each, { mode: 0o700 })
  cpSync('releases', path.join(folder, 'releases'), { recursive: true })
  run('openssl genpkey -algorithm ed25519 -out "$DIR/signing-key.pem" 2>/dev/null', {
    DIR: secrets,
  })
  const { recipient } = generateIdentity()
  writeFileSync(path.join(secrets, 'waitlist-recipient.txt'), recipient)
  for (const name of ['key-hash-secret.txt', 'address-hash-secret.txt']) {
    run(`openssl rand -hex 32 > "$DIR/${name}"`, { DIR: secrets })
  }
  for (const name of readdirSync(secrets)) {
    chmodSync(path.join(secrets, name), 0o600)
    chownSync(path.join(secrets, name), USER, USER)
  }
  for (const each of [secrets, data]) chownSync(each, USER, USER)
  chmodSync(folder, 0o755)
  return folder
}

/** The variables of the Containerfile and of compose.single.yaml, for a service on this port. */
function imageVariables(port: number, adminPort: number): readonly string[] {
  const file = readFileSync('deploy/container/Containerfile', 'utf8')
  const [, block = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(file) ?? []
  const { services } = parse(readFileSync('deploy/container/compose.single.yaml', 'utf8')) as {
    readonly services: { readonly node: { readonly environment: object } }
  }
  return [
    ...block.split(/[\s\\]+/),
    ...Object.entries(services.node.environment).map((each) => each.join('=')),
    // Other tests may run a service at the same time.
    `PORT=${port}`,
    `SVC_ADMIN_PORT=${adminPort}`,
    `SVC_BASE_URL=http://127.0.0.1:${port}`,
  ]
}

/** Starts the image's program as the Containerfile says, as its user and with a read-only root. */
const START = `
mount --rbind "$ROOT" "$ROOT"
mkdir -p "$ROOT/srv/releases" "$ROOT/run/secrets" "$ROOT/var/lib/public-api"
mount --bind "$STATE/releases" "$ROOT/srv/releases"
mount --bind "$STATE/secrets" "$ROOT/run/secrets"
mount --bind "$STATE/data" "$ROOT/var/lib/public-api"
mount -t tmpfs tmpfs "$ROOT/tmp"
mount -t proc proc "$ROOT/proc"
mount -o remount,bind,ro "$ROOT"
exec chroot --userspec=${USER}:${USER} "$ROOT" /usr/bin/env -i \
  $VARIABLES \
  /bin/sh -c 'if touch /opt/public-api/written 2>/dev/null; then exit 90; fi
    cd /opt/public-api; exec node_modules/.bin/node --max-semi-space-size=4 --max-old-space-size=512 src/main.mjs'
`

test('the image runs as non-root on a read-only root', { skip: missing }, async (t) => {
  const root = mountContainer(t)
  const state = await makeState(t)
  const port = await freePort()
  const adminPort = await freePort()
  const { uid, mode } = statSync(path.join(root, 'var/lib/public-api'))
  assert.deepEqual([uid, mode & 0o777], [USER, 0o700])
  const env = {
    ROOT: root,
    STATE: state,
    VARIABLES: imageVariables(port, adminPort).join(' '),
  }
  const child = spawn('unshare', ['-m', '--propagation', 'private', 'bash', '-ec', START], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collectText(child.stdout, child.stderr)
  const exited = new Promise<number | null>((resolve) => {
    child.on('close', resolve)
  })
  t.after(async () => {
    child.kill('SIGKILL')
    await exited
  })
  await eventually('the service serves', () => {
    if (child.exitCode !== null) throw new Error(`exit code ${child.exitCode}: ${output.text}`)
    return output.text.includes('Serving at') || undefined
  })
  const health = `env SVC_ADMIN_PORT=${adminPort} /opt/public-api/node_modules/.bin/node`
  run(`chroot "$ROOT" ${health} /opt/public-api/deploy/container/health-check.mjs`, { ROOT: root })
  const { status, out, error } = await svc('doctor', `http://127.0.0.1:${port}`, '--json')
  const { errors, warnings } = JSON.parse(out) as { errors: number; warnings: number }
  assert.deepEqual({ status, errors, warnings }, { status: 0, errors: 0, warnings: 0 }, out + error)

  child.kill('SIGTERM')
  assert.equal(await exited, 0, output.text)
})
