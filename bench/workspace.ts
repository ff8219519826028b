import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { REGISTRY_VERSION } from '../src/contract/endpoints.ts'
import { publishRelease } from '../src/publishing/publish-release.ts'
import { openReleaseStore } from '../src/storage/release-store.ts'
import type { PeerAnswer } from './peer.ts'

const ROOT = path.dirname(import.meta.dirname)

/** A folder for one run: secrets, data and what the peers answer. Nothing of the checkout is written. */
export interface Workspace {
  /** Where npm starts the service. */
  readonly root: string
  /** The folder itself; parts of the benchmark keep their databases in it. */
  readonly folder: string
  /** Environment of every server. The port is free to choose. */
  readonly env: NodeJS.ProcessEnv
  /** The command behind `npm start`, without npm: Node, its options as package.json has them, the main file. */
  readonly startCommand: readonly string[]
  /** Of these, the options of Node; the peers get the same. */
  readonly nodeOptions: readonly string[]
  /** The key that the service made on its first start. */
  readSigningKeyPem(): string
  /** The file from which peers read their answer. */
  readonly answerFile: string
  writeAnswer(answer: PeerAnswer): void
  remove(): void
}

/** The types of tmpfs and ramfs (Linux, statfs(2)). */
const MEMORY_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x01_02_19_94, 0x85_84_58_f6])

/** Whether what is written to the workspace never reaches a disk. */
export function isInMemory({ folder }: Workspace): boolean {
  return MEMORY_FILE_SYSTEMS.has(statfsSync(folder).type)
}

/** The arguments of Node in package.json's start script. */
function startArguments(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  const command = /^(?:exec )?node (.+)$/.exec(scripts.start)?.[1]
  if (command === undefined) {
    throw new Error(
      `package.json: expected a start script that begins with node, found "${scripts.start}"`,
    )
  }
  return command.split(' ')
}

/** Publishes this project's own content for the run, when no release is committed. */
async function publishOwnContent(releasesDir: string): Promise<void> {
  await publishRelease({
    contentDir: path.join(ROOT, 'content'),
    store: openReleaseStore(releasesDir),
    nowMs: Date.now(),
    registryVersion: REGISTRY_VERSION,
  })
}

/** Makes the folder. */
export async function openWorkspace(): Promise<Workspace> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.on('exit', remove)
  const committed = path.join(ROOT, 'releases')
  const releasesDir = existsSync(committed) ? committed : path.join(folder, 'releases')
  if (releasesDir !== committed) await publishOwnContent(releasesDir)

  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('SVC_') && !name.startsWith('npm_') && name !== 'NODE_OPTIONS',
  )
  const secretsDir = path.join(folder, 'secrets')
  const args = startArguments()
  const answerFile = path.join(folder, 'answer.json')
  return {
    root: ROOT,
    folder,
    env: {
      ...Object.fromEntries(inherited),
      NODE_ENV: 'production',
      PORT: '0',
      SVC_RELEASES_DIR: releasesDir,
      SVC_SECRETS_DIR: secretsDir,
      SVC_DATA_DIR: path.join(folder, 'data'),
    },
    startCommand: [
      process.execPath,
      ...args.map((arg) => (arg.endsWith('.ts') ? path.join(ROOT, arg) : arg)),
    ],
    nodeOptions: args.filter((arg) => arg.startsWith('-')),
    readSigningKeyPem: () => readFileSync(path.join(secretsDir, 'signing-key.pem'), 'utf8'),
    answerFile,
    writeAnswer: (answer) => writeFileSync(answerFile, JSON.stringify(answer)),
    remove,
  }
}
