import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { hasProgram } from '../caches/cache-process.ts'
import { type DocumentedBlock, documentedBlocks } from '../support/documented-blocks.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const skip =
  userInfo().uid === 0 &&
  ['unshare', 'su', 'runuser', 'useradd', 'age-keygen', 'openssl'].every(hasProgram) &&
  spawnSync('unshare', ['--mount', 'true']).status === 0
    ? false
    : 'needs root, mount namespaces, su, runuser, useradd, age-keygen and openssl'

/** Makes the machine of docs/operating.md out of this one, in a mount namespace, with a user who may use sudo. */
const MACHINE = `
set -euo pipefail
mount -t tmpfs tmpfs /run
mkdir -p /run/etc /run/bin
cp -a /etc/. /run/etc
mount --bind /run/etc /etc
cp -a /usr/local/bin/. /run/bin
mount --bind /run/bin /usr/local/bin
for folder in /opt /srv /var/backups /usr/share/bash-completion /usr/local/share; do
  mount -t tmpfs tmpfs "$folder"
done
mkdir -p /opt/public-api /usr/share/bash-completion/completions /usr/local/share/zsh/site-functions
rm -rf /etc/public-api /etc/systemd/system
mkdir -p /etc/systemd/system
mount --bind -o ro "$CHECKOUT" /opt/public-api
useradd --create-home --home-dir /run/person --shell /bin/bash person
# sudo without a password, by su.
printf '%s sufficient pam_permit.so\\n' auth account session > /etc/pam.d/su
cat > /usr/local/bin/sudo <<'END'
#!/bin/sh
user=root
case "$1" in -u) user=$2; shift 2 ;; --user=*) user=\${1#--user=}; shift ;; esac
[ "\${1-}" = -- ] && shift
exec su root -s /bin/sh -c 'PATH=/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin exec runuser -u "$0" -- "$@"' -- "$user" "$@"
END
# The editor of a person who replaces what the files ask for.
cat > /usr/local/bin/edit <<'END'
#!/bin/sh
sed -i -e 's/TODO:* *//' -e 's/example\\.org/tides.example/' -e 's/^name: .*/name: Tide Observatory/' "$(dirname "$1")"/*.yaml
END
chmod 755 /usr/local/bin/sudo /usr/local/bin/edit
exec runuser -u person -- env -i HOME=/run/person USER=person EDITOR=edit PATH=/usr/local/bin:/usr/bin:/bin bash -euo pipefail "$STEPS"
`

/** Lines that this machine cannot run, and the test that runs them elsewhere. */
const LEFT_OUT: readonly (readonly [start: string, why: string])[] = [
  ['sudo git clone ', 'the checkout is mounted; test/process/first-start.process.test.ts clones'],
  ['sudo npm ci ', 'test/production-install.long.test.ts'],
  ['svc preview', 'serves until it is stopped; test/preview'],
  ['sudo systemctl ', 'test/deploy/systemd.long.test.ts'],
  ['journalctl ', 'test/deploy/systemd.long.test.ts'],
  ['svc verify https://api.example.org', 'no name leads to this machine; test/cli/verify.test.ts'],
]

const isLeftOut = (line: string) => LEFT_OUT.some(([start]) => line.trim().startsWith(start))

const run = (block: string) =>
  block
    .split('\n')
    .filter((line) => !isLeftOut(line))
    .join('\n')

/** The steps of the guide and of a night, as the page has them. */
function steps(): string {
  const texts = (blocks: readonly DocumentedBlock[]) => blocks.map(({ text }) => text)
  const guide = texts(documentedBlocks('docs/operating.md', 'Your own service in an hour'))
  const [install, completion, content, publish, secrets, configure, proxy, , record] = guide
  const today = new Date().toISOString().slice(0, 10)
  const year = Number(today.slice(0, 4)) + 1
  const night = texts(documentedBlocks('docs/operating.md', 'An incident at night'))
    .map((block) => block.replaceAll(/reads-fail-\d{4}-\d\d-\d\d/g, `reads-fail-${today}`))
    .join('\n')
  const planned = texts(documentedBlocks('docs/operating.md', 'Planned maintenance'))
    .join('\n')
    .replaceAll('2027-', `${year}-`)
  const [tlog = ''] = texts(documentedBlocks('docs/witnesses.md', 'Start alone'))
  assert.equal(guide.length, 9)
  assert.ok(night.includes(`reads-fail-${today}`) && planned.includes(`${year}-`))
  return [
    install,
    completion,
    content,
    publish,
    'cd $HOME',
    secrets
      ?.replace('echo age1…', 'echo $RECIPIENT')
      .replace("sh -c '", "env RECIPIENT=$(sed -n 's/.*key: //p' waitlist-identity.txt) sh -c '"),
    'cd /opt/public-api',
    configure,
    'sudo mkdir -p /etc/caddy',
    proxy,
    'grep -c YOUR-NAME /etc/caddy/Caddyfile',
    'cd /run/person',
    'svc check --config',
    record,
    night,
    'svc rollback VS-0002 --note "Take a wrong text back"',
    // Publishing goes on from what was rolled back.
    `svc incident resolve reads-fail-${today} --text "It works again." --summary "Reads work." --publish`,
    planned,
    'export SVC_SECRETS_DIR=$HOME/log-secrets; mkdir -m 700 "$SVC_SECRETS_DIR"',
    tlog,
    'unset SVC_SECRETS_DIR',
    // Needs no key, as the unit of the timer.
    'svc tlog cosign',
    'svc check --config',
    'svc versions',
    'svc audit /srv/public-api/releases',
    'find /srv/public-api -printf "%u %p\\n" | grep -v "^person " && exit 1 || true',
    'svc discard',
  ]
    .map((block) => run(block ?? ''))
    .join('\n')
}

test(
  'the guide and a night run as docs/operating.md has them, as the users that it names',
  { skip },
  async (t) => {
    const folder = temporaryFolder(t)
    const file = path.join(folder, 'steps.sh')
    // Others than root read it.
    spawnSync('chmod', ['755', folder])
    writeFileSync(file, steps(), { mode: 0o644 })
    const child = spawn('unshare', ['--mount', '--propagation', 'private', 'bash', '-c', MACHINE], {
      env: { ...process.env, CHECKOUT: process.cwd(), STEPS: file },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    }
    const [status] = (await once(child, 'close')) as [number | null]
    assert.equal(status, 0, output)
    assert.match(output, /^Published VS-0001 in \/srv\/public-api\/releases /m)
    assert.match(output, /^The configuration is valid/m)
    assert.match(output, /^Nothing to discard: /m)
  },
)
