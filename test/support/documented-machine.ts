import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { hasProgram } from '../caches/cache-process.ts'
import { collectText } from './collect-text.ts'
import { temporaryFolder } from './temporary-folder.ts'
import type { TestScope } from './test-scope.ts'

/** Why this machine cannot run the steps of the guide; false if it can. */
export const skip: string | false =
  userInfo().uid === 0 &&
  ['unshare', 'su', 'runuser', 'useradd', 'age-keygen', 'openssl'].every(hasProgram) &&
  spawnSync('unshare', ['--mount', 'true']).status === 0
    ? false
    : 'needs root, mount namespaces, su, runuser, useradd, age-keygen and openssl'

/** Makes the machine of docs/operating.md out of this one, in a mount namespace, with two users who may use sudo. */
const MACHINE = `
set -euo pipefail
mount -t tmpfs tmpfs /run
mkdir -p /run/etc /run/bin
cp -a /etc/. /run/etc
mount --bind /run/etc /etc
cp -a /usr/local/bin/. /run/bin
mount --bind /run/bin /usr/local/bin
for folder in /opt /srv /var/backups /var/lib /usr/share/bash-completion /usr/local/share; do
  mount -t tmpfs tmpfs "$folder"
done
mkdir -p /opt/public-api /usr/share/bash-completion/completions /usr/local/share/zsh/site-functions
rm -rf /etc/public-api /etc/systemd/system
mkdir -p /etc/systemd/system
mount --bind -o ro "$CHECKOUT" /opt/public-api
for user in person ben; do
  useradd --create-home --home-dir "/run/$user" --shell /bin/bash "$user"
done
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

/** Runs steps as a person of that machine, as lines of bash. Resolves with the exit code and everything that was printed. */
export async function runOnMachine(t: TestScope, steps: string) {
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'steps.sh')
  // Others than root read it.
  spawnSync('chmod', ['755', folder])
  writeFileSync(file, steps, { mode: 0o644 })
  const child = spawn('unshare', ['--mount', '--propagation', 'private', 'bash', '-c', MACHINE], {
    env: { ...process.env, CHECKOUT: process.cwd(), STEPS: file },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collectText(child.stdout, child.stderr)
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, output: output.text }
}
