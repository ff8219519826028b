import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** How a command ended. */
export interface Ending {
  readonly status: number
  readonly out: string
  readonly error: string
}

type Run = (...args: readonly string[]) => Promise<Ending & { readonly megabytes: number }>

/** A command of a client. */
export interface ClientCommand {
  readonly file: string
  /** Why it cannot run here; undefined where it can. */
  readonly missing: string | undefined
  /** Verifies a URL by key IDs joined by commas, and the ETag of a 304. */
  readonly run: Run
  readonly runCommandLine: Run
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
  return {
    folder,
    env,
    /** Runs a command of Go in the folder of the client. */
    run: (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
      runCommand('go', args, { ...env, ...more }, GO_CLIENT),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A workspace of Go for a test: a module in the folder `program`, which may import the client, and its environment. */
export function makeGoWorkspace(t: TestContext) {
  const go = openGoFolder()
  t.after(() => go.close())
  const { folder } = go
  mkdirSync(path.join(folder, 'program'))
  writeFileSync(path.join(folder, 'go.work'), 'go 1.19\n\nuse (\n\t./program\n\t./client\n)\n')
  symlinkSync(GO_CLIENT, path.join(folder, 'client'))
  writeFileSync(path.join(folder, 'program', 'go.mod'), 'module program\n\ngo 1.19\n')
  const { GOFLAGS: _, ...env } = go.env
  return { ...go, env }
}

/**
 * Runs a command, by default in the project's folder; not synchronously, since the service answers from the test's own process.
 */
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

/** Runs a command and gives its peak memory in megabytes: the largest resident set of the program. */
async function runMeasured(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Ending & { readonly megabytes: number }> {
  const program =
    'import resource, subprocess, sys; r = subprocess.run(sys.argv[1:]); ' +
    'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(r.returncode)'
  const ended = await runCommand(PYTHON, ['-c', program, command, ...args], env)
  const lines = ended.error.trimEnd().split('\n')
  return { ...ended, error: lines.slice(0, -1).join('\n'), megabytes: Number(lines.at(-1)) / 1000 }
}

/** The environment in which Python finds the client of this checkout. */
export const PYTHON_ENV: NodeJS.ProcessEnv = {
  ...process.env,
  PYTHONPATH: path.join(ROOT, 'clients/python/src'),
  PYTHONDONTWRITEBYTECODE: '1',
}

/** Runs Debian's Python with the client of this checkout. */
export function runPython(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ending> {
  return runCommand(PYTHON, args, { ...PYTHON_ENV, ...env })
}

/** The folder of the Go client. */
export const GO_CLIENT = path.join(ROOT, 'clients/go')

/** Compiles the command of the Go client once, and gives a function that runs it. */
function goCommand(go: ReturnType<typeof openGoFolder>): Run {
  const built = path.resolve('node_modules/.cache/go/public-api')
  let building: Promise<Ending> | undefined
  return async (...args) => {
    building ??= go.run(['build', '-o', built, './cmd/public-api'])
    const { status, error } = await building
    if (status !== 0) throw new Error(`clients/go does not compile: ${error}`)
    return runMeasured(built, args, process.env)
  }
}

/** The commands of the clients. */
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
        runMeasured(PYTHON, ['-m', 'public_api', ...args], PYTHON_ENV),
    },
    { file: 'clients/go', missing: missingProgram('go'), runCommandLine: goCommand(go) },
  ]
  return commands.map((command) => ({
    ...command,
    run: (...args) => command.runCommandLine(...argumentsOf(args)),
  }))
}
