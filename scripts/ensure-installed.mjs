// Every npm script calls this first, on whatever Node the machine has (20 or newer), before anything is installed.
// It installs the locked dependencies when they are missing or older than the lock file, and does nothing otherwise,
// so that a fresh clone needs one command and a second start pays a few milliseconds. With --runtime it installs only
// what the service runs on, as `npm ci --omit=dev` puts it on a server. The scripts call it in a subshell: a shell remembers
// where it found `node`, and the next one must be the Node that npm has installed by then.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

// No dependency needs an install script, so none gets to run.
const isRuntimeOnly = process.argv.includes('--runtime')
const NPM_ARGUMENTS = [
  'ci',
  '--loglevel=error',
  isRuntimeOnly ? '--omit=dev' : '--include=dev',
  '--include=optional',
  '--ignore-scripts',
]

const root = new URL('../', import.meta.url)

/** The packages of a lock file by their places; empty if the file is missing. */
function readPackages(name) {
  try {
    return JSON.parse(readFileSync(new URL(name, root), 'utf8')).packages
  } catch {
    return {}
  }
}

/**
 * Whether node_modules holds the locked packages, by npm's own record of what it installed; with --runtime those of the
 * service alone. An optional package may be missing, but not of another version.
 */
function hasLockedPackages() {
  const installed = readPackages('node_modules/.package-lock.json')
  return Object.entries(readPackages('package-lock.json')).every(
    ([place, { version, dev, devOptional, optional, link }]) => {
      if (!place.startsWith('node_modules/')) return true
      if (link) return existsSync(new URL(place, root))
      if (isRuntimeOnly && (dev || devOptional)) return true
      const found = installed[place]?.version
      return found === version || (found === undefined && optional)
    },
  )
}

if (!hasLockedPackages()) {
  process.stderr.write('Installing the locked dependencies (npm ci); this happens once.\n')
  const npm = spawnSync('npm', NPM_ARGUMENTS, {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (npm.error !== undefined || npm.status !== 0) {
    const reason = npm.error === undefined ? `it exited with ${npm.status}` : npm.error.message
    process.stderr.write(
      `npm ci failed (${reason}). Expected: npm on the PATH and a reachable npm registry.\n`,
    )
    process.exit(1)
  }
}

// The service runs TypeScript as it is, which takes this Node or one that npm installed for this platform.
const OLDEST_MAJOR = 24
const bundled = new URL('node_modules/.bin/node', root)
if (!existsSync(bundled) && Number.parseInt(process.versions.node, 10) < OLDEST_MAJOR) {
  process.stderr.write(
    `npm has no Node for ${process.platform} ${process.arch} here, and this one is ${process.versions.node}. Expected: Node ${OLDEST_MAJOR} or newer.\n`,
  )
  process.exit(1)
}
