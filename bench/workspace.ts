import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { PeerResponse } from './peer.ts'

const ROOT = path.dirname(import.meta.dirname)

/** A temporary folder for one run: secrets, data and the peers' response. The checkout is not written to. */
export interface Workspace {
  /** Working folder of the service. */
  readonly root: string
  /** The folder itself, also for the databases of the parts. */
  readonly folder: string
  /** Environment of every server. The port is free to choose. */
  readonly env: NodeJS.ProcessEnv
  /** The command of `npm start`, without npm: Node, its options from package.json, the main file. */
  readonly startCommand: readonly string[]
  /** The Node options among them; the peers get the same. */
  readonly nodeOptions: readonly string[]
  /** The key that the service created on its first start. */
  readSigningKeyPem(): string
  /** The file from which the peers read their response. */
  readonly peerResponseFile: string
  writePeerResponse(response: PeerResponse): void
  remove(): void
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

/** Makes the folder. */
export function openWorkspace(): Workspace {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.on('exit', remove)
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('SVC_') && !name.startsWith('npm_') && name !== 'NODE_OPTIONS',
  )
  const secretsDir = path.join(folder, 'secrets')
  const args = startArguments()
  const peerResponseFile = path.join(folder, 'peer-response.json')
  return {
    root: ROOT,
    folder,
    env: {
      ...Object.fromEntries(inherited),
      NODE_ENV: 'production',
      PORT: '0',
      SVC_RELEASES_DIR: path.join(ROOT, 'releases'),
      SVC_SECRETS_DIR: secretsDir,
      SVC_DATA_DIR: path.join(folder, 'data'),
    },
    startCommand: [
      process.execPath,
      ...args.map((arg) => (arg.endsWith('.ts') ? path.join(ROOT, arg) : arg)),
    ],
    nodeOptions: args.filter((arg) => arg.startsWith('-')),
    readSigningKeyPem: () => readFileSync(path.join(secretsDir, 'signing-key.pem'), 'utf8'),
    peerResponseFile,
    writePeerResponse: (response) => writeFileSync(peerResponseFile, JSON.stringify(response)),
    remove,
  }
}
