import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { parseEnvironmentFile } from '../../src/cli/environment-file.ts'
import { WAITLIST_IDENTITY_FILE } from '../../src/config.ts'
import { generateIdentity } from '../../src/crypto/age-file.ts'
import { logSecretFiles } from '../../src/tlog/signing/log-keys.ts'
import { hasProgram } from '../caches/cache-process.ts'
import { collectText } from '../support/collect-text.ts'
import { eventually } from '../support/eventually.ts'
import { createSeededRandom, seedOf } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SYSTEMD = '/lib/systemd/systemd'
const NAMESPACES = ['--mount', '--pid', '--ipc', '--uts', '--net', '--cgroup']

const skip =
  userInfo().uid === 0 &&
  existsSync(SYSTEMD) &&
  ['unshare', 'nsenter', 'ip', 'curl', 'openssl', 'useradd'].every(hasProgram) &&
  spawnSync('unshare', [...NAMESPACES, '--fork', 'true']).status === 0
    ? false
    : 'needs root, namespaces, systemd, iproute2, curl and openssl'

/** Files of the secrets folder that the serving process must not be able to read. */
const UNNEEDED = [
  WAITLIST_IDENTITY_FILE,
  ...Object.values(logSecretFiles({ secretsDir: '.' })).filter((file) => !file.endsWith('.lock')),
]

/** Makes the machine of docs/operating.md out of this one, in namespaces, and boots it with the units of deploy/. */
const BOOT = `
set -euo pipefail
mount -t proc proc /proc
ip link set lo up
mount -t tmpfs tmpfs /run
mkdir -p /run/etc /run/systemd/system
cp -a /etc/. /run/etc
mount --bind /run/etc /etc
# Nothing of this machine starts.
rm -rf /etc/systemd/system/* /etc/init.d /etc/rc*.d
for folder in /opt /srv /var/lib /var/backups /usr/lib/systemd/system; do
  mount -t tmpfs tmpfs "$folder"
done
umount -R /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
for target in sysinit basic shutdown timers network-online multi-user; do
  printf '[Unit]\\nDefaultDependencies=no\\n' > /usr/lib/systemd/system/$target.target
done

mkdir -p /opt/public-api /srv/public-api
mount --bind -o ro "$CHECKOUT" /opt/public-api
cp -r "$CHECKOUT/releases" /srv/public-api/releases
useradd --system --home-dir /var/lib/public-api --shell /usr/sbin/nologin public-api
install -d -m 0700 -o public-api -g public-api /etc/public-api/secrets /var/backups/public-api
cp "$CHECKOUT"/deploy/systemd/public-api* /etc/systemd/system/
cd /etc/public-api/secrets
openssl genpkey -algorithm ed25519 -out signing-key.pem
openssl rand -hex 32 > key-hash-secret.txt
openssl rand -hex 32 > address-hash-secret.txt
echo "$RECIPIENT" > waitlist-recipient.txt
for file in ${UNNEEDED.join(' ')}; do echo secret > $file; done
chown public-api:public-api ./*
chmod 600 ./*
printf '%s\\n' SVC_BASE_URL=https://api.example.org SVC_TRUSTED_PROXIES=127.0.0.1 SVC_TLOG_KEY=secret > /etc/public-api/environment

# There is no journal.
for unit in public-api public-api-backup public-api-expire@365; do
  mkdir -p /run/systemd/system/$unit.service.d
  printf '[Service]\\nStandardOutput=append:%s\\nStandardError=inherit\\n' "$LOGS/$unit.log" > /run/systemd/system/$unit.service.d/log.conf
done
touch "$LOGS/console"
mount --bind "$LOGS/console" /dev/console
export container=lxc
exec ${SYSTEMD} --system --unit=multi-user.target --log-target=console --show-status=0
`

/** systemd manages the control groups below its own. */
const CONTROL_GROUP =
  '$(findmnt --noheadings --first-only --output TARGET --types cgroup2)/public-api-test'
const START = `
group=${CONTROL_GROUP}
mkdir -p "$group"
echo $$ > "$group/cgroup.procs"
exec unshare ${NAMESPACES.join(' ')} --propagation private --fork --kill-child bash -c "$BOOT"`

interface Machine {
  /** Runs a shell command on the machine. Returns what it prints. */
  run(command: string): string
  /** What a file of the machine's output has so far: a unit's log, or the console. */
  log(name: string): string
}

async function bootMachine(t: TestContext): Promise<Machine> {
  const logs = temporaryFolder(t)
  const { recipient } = generateIdentity()
  const env = { ...process.env, CHECKOUT: process.cwd(), LOGS: logs, RECIPIENT: recipient, BOOT }
  const booting = spawn('bash', ['-euc', START], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const problems = collectText(booting.stderr)
  const ended = once(booting, 'close')
  t.after(async () => {
    booting.kill('SIGKILL')
    await ended
    // The processes in it end a moment later.
    const remove = `until find ${CONTROL_GROUP} -depth -type d -exec rmdir {} +; do sleep 0.1; done`
    spawnSync('timeout', ['10', 'bash', '-c', remove])
  })
  const enter = (command: string) => {
    const file = `/proc/${booting.pid}/task/${booting.pid}/children`
    const init = readFileSync(file, 'utf8').trim()
    return spawnSync('nsenter', ['-t', init, ...NAMESPACES, 'bash', '-c', command], {
      encoding: 'utf8',
      timeout: 60_000,
    })
  }
  await eventually('the machine has booted', () => {
    assert.equal(booting.exitCode, null, problems.text)
    return enter('systemctl is-active multi-user.target').status === 0 || undefined
  })
  const log = (name: string) => {
    const file = path.join(logs, name)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  return {
    log,
    run(command) {
      const { status, stdout, stderr } = enter(command)
      const context = `${command}: ${stdout}${stderr}${log('public-api.log')}${log('console')}`
      assert.equal(status, 0, context)
      return stdout.trim()
    },
  }
}

const messageIn = (line: string) => /"msg":"([^"]*)"/.exec(line)?.[1]

const property = (name: string, unit = 'public-api') => `systemctl show --value -p ${name} ${unit}`

test(
  'systemd runs the hardened service, its restart, its reload, the backup and the expiry',
  { skip },
  async (t) => {
    const { run, log } = await bootMachine(t)
    const ready = () =>
      eventually('the service is ready', () => {
        const code = `curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:9464/readyz || true`
        return run(code) === '200' || undefined
      })
    const timers = ['public-api-backup.timer', 'public-api-expire@365.timer']
    run(`systemctl enable --now public-api ${timers.join(' ')}`)
    await ready()
    assert.equal(
      run(`curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/api/v1/status`),
      '200',
    )

    const pid = run(property('MainPID'))
    const facts = run(`cat /proc/${pid}/status`)
    for (const fact of [
      /^NoNewPrivs:\s1$/m,
      /^Seccomp:\s2$/m,
      /^CapEff:\s0+$/m,
      /^CapBnd:\s0+$/m,
    ]) {
      assert.match(facts, fact)
    }
    assert.equal(run(`stat -c %U /proc/${pid}`), 'public-api')
    assert.match(run(`cat /proc/${pid}/limits`), /^Max core file size +0 +0/m)
    for (const folder of [
      '/opt/public-api',
      '/etc/public-api',
      '/srv/public-api',
      '/usr',
      '/home',
    ]) {
      const write = `nsenter -t ${pid} --mount touch ${folder}/written`
      assert.equal(run(`${write} 2>/dev/null && echo written || echo refused`), 'refused', folder)
    }
    for (const file of UNNEEDED) {
      const read = `cat /etc/public-api/secrets/${file}`
      assert.equal(run(read), 'secret')
      assert.equal(run(`nsenter -t ${pid} --mount ${read} 2>/dev/null || true`), '', file)
    }
    assert.doesNotMatch(run(`tr '\\0' '\\n' < /proc/${pid}/environ`), /SVC_TLOG_KEY/)

    run('systemctl reload public-api')
    await eventually('it reloads', () => log('public-api.log').includes('Reloading') || undefined)
    run('systemctl kill --signal=KILL public-api')
    await eventually('it is restarted', () => run(property('NRestarts')) === '1' || undefined)
    await ready()

    run('systemctl start public-api-backup')
    const file = run('ls /var/backups/public-api/*.sqlite')
    const count = 'node_modules/.bin/node src/cli/svc.mjs waitlist count --database'
    assert.match(run(`cd /opt/public-api && ${count} ${file}`), /^The waitlist in \S+ is empty/)
    assert.equal(run(`stat -c %a ${file}`), '600')
    for (const timer of timers) {
      assert.notEqual(run(property('NextElapseUSecRealtime', timer)), '', timer)
    }

    run('systemctl start public-api-expire@365')
    assert.match(log('public-api-expire@365.log'), /^Deleted 0 registrations from before /m)

    // The installed command finds the database of the service, and what it creates belongs to the service.
    const svc = '/opt/public-api/deploy/systemd/svc'
    assert.match(run(`cd / && ${svc} waitlist count`), /^The waitlist in \S+ is empty/)
    run(`${svc} signing-key new`)
    assert.equal(run('find /etc/public-api/secrets /var/lib/public-api ! -user public-api'), '')
    assert.match(run(`cd / && ${svc} versions`), /^VS-0001 /m)

    const asOther = `runuser -u daemon -- node_modules/.bin/node src/cli/svc.mjs waitlist count`
    assert.match(
      run(
        `cd /opt/public-api && ${asOther} --database /var/lib/public-api/service.sqlite 2>&1 || true`,
      ),
      /\/var\/lib\/public-api belongs to public-api, and this command runs as daemon; run it as public-api/,
    )

    run('systemctl stop public-api')
    assert.deepEqual([run(property('Result')), run(property('ExecMainStatus'))], ['success', '0'])
    assert.match(log('public-api.log'), /"level":"info"/)
    const warnings = /"level":"(?:warn|error|fatal)".*/g
    const [reminder, ...others] = new Set(log('public-api.log').match(warnings)?.map(messageIn))
    assert.match(reminder ?? '', /decrypts the waitlist/)
    assert.deepEqual(others, [])
  },
)

test(
  'svc reads the lines of an environment file as systemd does, or refuses them',
  { skip },
  async (t) => {
    const seed = seedOf('ENVIRONMENT_SEED')
    const below = createSeededRandom(seed)
    const parts = [
      'A',
      'B=',
      'A=',
      ' ',
      '\t',
      '"',
      "'",
      '\\',
      '#',
      ';',
      '$',
      '`',
      'é',
      '\r',
      '\n',
      '\n',
      'x',
      '0',
      '%',
      'export ',
    ]
    const cases = Array.from(
      { length: 200 },
      () => `A=${Array.from({ length: below(9) }, () => parts[below(parts.length)]).join('')}\n`,
    )
    const { run } = await bootMachine(t)
    const folder = '/run/environments'
    const files = cases.map(
      (text, index) =>
        `echo ${Buffer.from(text).toString('base64')} | base64 -d > ${folder}/${index}`,
    )
    run(
      `mkdir ${folder} && cd ${folder} && printf '[Service]\\nType=oneshot\\nEnvironmentFile=${folder}/%%i\\nExecStart=/usr/bin/env -0\\nStandardOutput=truncate:${folder}/%%i.read\\n' > /run/systemd/system/environment@.service`,
    )
    run(files.join('\n'))
    run(
      `systemctl daemon-reload; for each in $(seq 0 ${cases.length - 1}); do systemctl start environment@$each || true; done`,
    )
    let accepted = 0
    for (const [index, text] of cases.entries()) {
      let ours: { readonly [name: string]: string }
      try {
        ours = parseEnvironmentFile(text)
      } catch {
        continue
      }
      accepted += 1
      const printed = run(`base64 -w0 ${folder}/${index}.read`)
      const entries = Buffer.from(printed, 'base64')
        .toString()
        .split('\0')
        .flatMap((each) => {
          // systemd's own variables begin with other letters than the parts of names.
          const [, name, value] = /^([ABx]\w*)=([^]*)$/.exec(each) ?? []
          return name === undefined ? [] : [[name, value] as const]
        })
      assert.deepEqual(
        ours,
        Object.fromEntries(entries),
        `${JSON.stringify(text)}, ENVIRONMENT_SEED=${seed}`,
      )
    }
    assert.ok(accepted > cases.length / 10, `${accepted} cases were read`)
  },
)
