import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** How a command ended. */
export interface Ending {
  readonly status: number
  readonly out: string
  readonly error: string
}

/** A command of a client, as a program of docs/verifying and as it is. */
export interface ClientCommand extends Verifier {
  readonly runCommandLine: Verifier['run']
}

/** One of the programs in docs/verifying, ready to run. */
export interface Verifier {
  readonly file: string
  /** Why it cannot run here; undefined where it can. */
  readonly missing: string | undefined
  run(...args: readonly string[]): Promise<Ending>
}

/** Reason to skip where one of these programs is not on the machine, or openssl is too old; undefined otherwise. */
export function missingProgram(...names: readonly string[]): string | undefined {
  for (const name of names) {
    const { error, stdout } = spawnSync(name, [
      name === 'go' || name === 'openssl' ? 'version' : '--version',
    ])
    if (error !== undefined) return `${name} is not on this machine`
    if (name === 'openssl' && !/^OpenSSL [3-9]/.test(String(stdout))) {
      return `openssl is older than 3: ${String(stdout)}`
    }
  }
  return undefined
}

/** A folder for what Go compiles, and the environment that keeps Go within it and off the network. */
export function openGoFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'verify-go-'))
  const env = {
    ...process.env,
    CGO_ENABLED: '0',
    // Shared by all runs: compiling Go's standard library takes 20 s.
    GOCACHE: path.resolve('node_modules/.cache/go'),
    GOFLAGS: '-mod=mod',
    GOPATH: path.join(folder, 'path'),
    GOPROXY: 'off',
    GOTOOLCHAIN: 'local',
  }
  return { folder, env, close: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Runs a command, by default in the project's folder; not synchronously, since the service answers from the test's own process. */
export async function runCommand(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  cwd: string = ROOT,
): Promise<Ending> {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, env })
    return { status: 0, out: stdout, error: stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { status: code, out: stdout, error: stderr }
  }
}

/** Debian's Python, which has the packages that the tests need; another one may come first on the path. */
export const PYTHON = '/usr/bin/python3'

/** Reason to skip where the Python client cannot run; undefined otherwise. */
export function missingPython(): string | undefined {
  const { error, status } = spawnSync(PYTHON, ['-c', 'import cryptography'])
  if (error !== undefined) return `${PYTHON} is not on this machine`
  return status === 0 ? undefined : `${PYTHON} has no package cryptography`
}

/** The environment in which Python finds the client of this checkout. */
export const PYTHON_ENV: NodeJS.ProcessEnv = {
  ...process.env,
  PYTHONPATH: path.join(ROOT, 'clients/python/src'),
  PYTHONDONTWRITEBYTECODE: '1',
}

/** The folder of the Go client. */
export const GO_CLIENT = path.join(ROOT, 'clients/go')

/** Compiles the command of the Go client once, and gives a function that runs it. */
function goCommand(go: ReturnType<typeof openGoFolder>): Verifier['run'] {
  const built = path.resolve('node_modules/.cache/go/public-api')
  let building: Promise<Ending> | undefined
  return async (...args) => {
    building ??= runCommand('go', ['build', '-o', built, './cmd/public-api'], go.env, GO_CLIENT)
    const { status, error } = await building
    if (status !== 0) throw new Error(`clients/go does not compile: ${error}`)
    return runCommand(built, args)
  }
}

/** The commands of the clients, called as the programs of docs/verifying are: URL, key IDs joined by commas, ETag. */
export function clientCommands(go: ReturnType<typeof openGoFolder>): readonly ClientCommand[] {
  const argumentsOf = ([url = '', pins = '', etag]: readonly string[]) => [
    'verify',
    url,
    ...pins.split(',').flatMap((pin) => ['--pin', pin]),
    ...(etag === undefined ? [] : ['--etag', etag]),
  ]
  const commands = [
    {
      file: 'clients/python',
      missing: missingPython(),
      runCommandLine: (...args: readonly string[]) =>
        runCommand(PYTHON, ['-m', 'public_api', ...args], PYTHON_ENV),
    },
    { file: 'clients/go', missing: missingProgram('go'), runCommandLine: goCommand(go) },
  ]
  return commands.map((command) => ({
    ...command,
    run: (...args) => command.runCommandLine(...argumentsOf(args)),
  }))
}

/** The three programs. The one in Go is compiled when it first runs. */
export function verifiersOf(go: ReturnType<typeof openGoFolder>): readonly Verifier[] {
  // Where an older one is up to date, Go links nothing.
  const built = path.resolve('node_modules/.cache/go/verify')
  let building: Promise<Ending> | undefined
  const interpreted = (
    file: string,
    interpreter: string,
    ...others: readonly string[]
  ): Verifier => ({
    file,
    missing: missingProgram(interpreter, ...others),
    run: (...args) => runCommand(interpreter, [`docs/verifying/${file}`, ...args]),
  })
  return [
    // The shell has no --version; it is there wherever Node starts a command with it.
    {
      ...interpreted('verify.sh', 'sh'),
      missing: missingProgram('curl', 'openssl', 'awk'),
    },
    interpreted('verify.py', 'python3'),
    {
      file: 'verify.go',
      missing: missingProgram('go'),
      async run(...args) {
        building ??= runCommand('go', ['build', '-o', built, 'docs/verifying/verify.go'], go.env)
        const { status, error } = await building
        if (status !== 0) throw new Error(`verify.go does not compile: ${error}`)
        return runCommand(built, args)
      },
    },
  ]
}

/** A program of docs/verifying that checks an offline proof. */
export interface ProofVerifier extends Verifier {
  runVectors(folder: string): Promise<Ending>
}

export function pythonProofVerifier(): ProofVerifier {
  const run = (...args: readonly string[]) =>
    runCommand('python3', ['docs/verifying/verify_proof.py', ...args])
  return {
    file: 'verify_proof.py',
    missing: missingProgram('python3'),
    run,
    runVectors: (folder) => run('--vectors', folder),
  }
}

/** Compiled when it first runs. */
export function goProofVerifier(go: ReturnType<typeof openGoFolder>): ProofVerifier {
  const built = path.resolve('node_modules/.cache/go/verify-proof')
  const sources = ['verify.go', 'verify_proof.go'].map((name) => `docs/verifying/${name}`)
  let building: Promise<Ending> | undefined
  async function run(...args: readonly string[]): Promise<Ending> {
    building ??= runCommand('go', ['build', '-o', built, ...sources], go.env)
    const { status, error } = await building
    if (status !== 0) throw new Error(`verify_proof.go does not compile: ${error}`)
    return runCommand(built, args)
  }
  return {
    file: 'verify_proof.go',
    missing: missingProgram('go'),
    run: (...args) => run('--proof', ...args),
    runVectors: (folder) => run('--proof-vectors', folder),
  }
}
