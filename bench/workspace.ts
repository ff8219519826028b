import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'

const ROOT = path.dirname(import.meta.dirname)

/** A temporary folder for one run: secrets, data and the peers' response. The checkout is not written to. */
export interface Workspace {
  /** Working folder of the service. */
  readonly root: string
  /** The folder itself, also for the databases. It is removed when the process ends. */
  readonly folder: string
  readonly releasesDir: string
  /** Environment of every server. The port is free to choose. */
  readonly env: NodeJS.ProcessEnv
  /** Which processor runs what, for the report. */
  readonly placement: string
  /** The same command on the server's processor, or on any. */
  place(command: readonly string[], on: 'server' | 'any'): readonly string[]
  /** The arguments that `npm start` gives to Node: options from package.json and the main file. */
  readonly startArguments: readonly string[]
  /** The Node options among them; the peers get the same. */
  readonly nodeOptions: readonly string[]
  /** The key that the service created on its first start. */
  readSigningKeyPem(): string
}

/** Servers run on the last processor, the load on the first. */
function placeOnProcessors(): Pick<Workspace, 'placement' | 'place'> {
  const last = availableParallelism() - 1
  if (last === 0 || spawnSync('taskset', ['--version']).status !== 0) {
    const placement = 'nothing bound to a processor (needs taskset and two processors)'
    return { placement, place: (command) => command }
  }
  const processors = { server: String(last), any: `0-${last}` }
  return {
    placement: `the server alone on processor ${last}, the load on processor 0 (taskset)`,
    place: (command, on) => ['taskset', '--cpu-list', processors[on], ...command],
  }
}

function readStartArguments(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return scripts.start
    .replace(/^.* exec node /, '')
    .split(' ')
    .map((arg) => (arg.endsWith('.mjs') ? path.join(ROOT, arg) : arg))
}

/** Makes the folder. */
export function openWorkspace(): Workspace {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('SVC_') && !name.startsWith('npm_') && name !== 'NODE_OPTIONS',
  )
  const releasesDir = path.join(ROOT, 'releases')
  const secretsDir = path.join(folder, 'secrets')
  const startArguments = readStartArguments()
  return {
    root: ROOT,
    folder,
    releasesDir,
    env: {
      ...Object.fromEntries(inherited),
      NODE_ENV: 'production',
      // For the peers as for the service.
      NODE_COMPILE_CACHE: path.join(folder, 'compiled'),
      PORT: '0',
      SVC_RELEASES_DIR: releasesDir,
      SVC_SECRETS_DIR: secretsDir,
      SVC_DATA_DIR: path.join(folder, 'data'),
    },
    ...placeOnProcessors(),
    startArguments,
    nodeOptions: startArguments.filter((arg) => arg.startsWith('-')),
    readSigningKeyPem: () => readFileSync(path.join(secretsDir, 'signing-key.pem'), 'utf8'),
  }
}
