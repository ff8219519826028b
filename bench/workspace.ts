import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'

const ROOT = path.dirname(import.meta.dirname)

/** Which processor runs what; undefined where processes cannot be bound. */
interface Cores {
  readonly server: number | undefined
  readonly generator: number | undefined
  /** The placement, for the report. */
  readonly note: string
}

/** A temporary folder for one run: secrets, data and the peers' response. The checkout is not written to. */
export interface Workspace {
  /** Working folder of the service. */
  readonly root: string
  /** The folder itself, also for the databases of the parts. */
  readonly folder: string
  readonly releasesDir: string
  /** Environment of every server. The port is free to choose. */
  readonly env: NodeJS.ProcessEnv
  readonly cores: Cores
  /** The arguments that `npm start` gives to Node: options from package.json and the main file. */
  readonly startArguments: readonly string[]
  /** The Node options among them; the peers get the same. */
  readonly nodeOptions: readonly string[]
  /** The key that the service created on its first start. */
  readSigningKeyPem(): string
  remove(): void
}

/** Places the load on the first processor and the server on the last. */
function findCores(): Cores {
  const server = availableParallelism() - 1
  if (server === 0 || spawnSync('taskset', ['--version']).status !== 0) {
    const note = 'nothing bound to a processor (taskset and two processors needed); rough figures'
    return { server: undefined, generator: undefined, note }
  }
  const note = `the server alone on processor ${server}, the load on processor 0 (taskset)`
  return { server, generator: 0, note }
}

function readStartArguments(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  const command = /^exec node (.+)$/.exec(scripts.start)?.[1]
  if (command === undefined) {
    throw new Error(
      `package.json: expected a start script that begins with exec node, found "${scripts.start}"`,
    )
  }
  return command.split(' ').map((arg) => (arg.endsWith('.ts') ? path.join(ROOT, arg) : arg))
}

/** Makes the folder. */
export function openWorkspace(): Workspace {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.on('exit', remove)
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
      PORT: '0',
      SVC_RELEASES_DIR: releasesDir,
      SVC_SECRETS_DIR: secretsDir,
      SVC_DATA_DIR: path.join(folder, 'data'),
    },
    cores: findCores(),
    startArguments,
    nodeOptions: startArguments.filter((arg) => arg.startsWith('-')),
    readSigningKeyPem: () => readFileSync(path.join(secretsDir, 'signing-key.pem'), 'utf8'),
    remove,
  }
}
