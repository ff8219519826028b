import { spawn } from 'node:child_process'
import type { Workspace } from './workspace.ts'

// Exits on a signal, so that children end and folders are removed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(1))
}

/** A child process that does not outlive this one. */
export interface Child {
  readonly pid: number
  /** The first result of `find` for a line of output; rejects if the child exits before. */
  firstLine<Found>(find: (line: string) => Found | undefined): Promise<Found>
  /** Sends a message and resolves with the next message received. */
  request(message: unknown): Promise<unknown>
  /** Terminates the child and resolves after its exit. */
  end(): Promise<void>
}

interface ChildOptions {
  readonly env?: NodeJS.ProcessEnv
  /** The only processor that it runs on. Default: any. */
  readonly core?: number | undefined
  /** Whether it has a message channel. */
  readonly ipc?: boolean
}

const TERMINATION_MS = 5000

/** Starts a child. */
export function startChild(
  command: readonly string[],
  { env = process.env, core, ipc = false }: ChildOptions,
): Child {
  const bound = core === undefined ? command : ['taskset', '-c', String(core), ...command]
  const [program = '', ...args] = bound
  const child = spawn(program, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? ['ipc' as const] : [])],
  })
  const kill = () => void child.kill('SIGKILL')
  process.on('exit', kill)
  let output = ''
  const append = (text: string) => {
    output += text
  }
  child.stdout?.setEncoding('utf8').on('data', append)
  child.stderr?.setEncoding('utf8').on('data', append)
  const exited = new Promise<void>((resolve) => {
    child.once('close', resolve)
    child.once('error', (error) => {
      append(error.message)
      resolve()
    })
  }).finally(() => process.off('exit', kill))
  const rejectOnExit = (reject: (error: Error) => void) =>
    void exited.then(() => reject(new Error(`${bound.join(' ')} exited. Its output:\n${output}`)))
  return {
    pid: child.pid ?? 0,
    firstLine: (find) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = output
            .split('\n')
            .map(find)
            .find((each) => each !== undefined)
          if (found !== undefined) resolve(found)
        }
        child.stdout?.on('data', look)
        child.stderr?.on('data', look)
        look()
        rejectOnExit(reject)
      }),
    request: (message) =>
      new Promise((resolve, reject) => {
        child.once('message', resolve)
        rejectOnExit(reject)
        child.send(message as object)
      }),
    async end() {
      child.kill()
      const killed = setTimeout(kill, TERMINATION_MS)
      await exited
      clearTimeout(killed)
    },
  }
}

/** A server in its own process. */
export interface Server extends Child {
  readonly port: number
}

/** A server that reports its CPU time. */
export interface MeasuredServer extends Server {
  /** CPU time of its process since the start, all threads, in microseconds. */
  cpuMicros(): Promise<number>
}

/** Starts a server that logs its URL, and waits for it. */
async function openServer(command: readonly string[], options: ChildOptions): Promise<Server> {
  const child = startChild(command, options)
  const url = await child.firstLine((line) => /"url":"(http:[^"]*)"/.exec(line)?.[1])
  return { ...child, port: Number(new URL(url).port) }
}

/** Starts the service with `npm start`. */
export function startThroughNpm({ root, env }: Workspace): Promise<Server> {
  return openServer(['npm', '--prefix', root, 'start'], { env })
}

/** Starts the service as `npm start` does, with some variables of its own. */
export function startService(workspace: Workspace, env: NodeJS.ProcessEnv = {}): Promise<Server> {
  return openServer([process.execPath, ...workspace.startArguments], {
    env: { ...workspace.env, ...env },
    core: workspace.cores.server,
  })
}

async function startMeasured(
  { cores, env }: Workspace,
  nodeArguments: readonly string[],
  ownEnv: NodeJS.ProcessEnv = {},
): Promise<MeasuredServer> {
  const reporter = `${import.meta.dirname}/usage-reporter.ts`
  const server = await openServer([process.execPath, '--import', reporter, ...nodeArguments], {
    env: { ...env, ...ownEnv },
    core: cores.server,
    ipc: true,
  })
  return {
    ...server,
    async cpuMicros() {
      const { user, system } = (await server.request('usage')) as NodeJS.CpuUsage
      return user + system
    },
  }
}

/** Starts the service as startService does, and measures it. */
export function startMeasuredService(
  workspace: Workspace,
  env?: NodeJS.ProcessEnv,
): Promise<MeasuredServer> {
  return startMeasured(workspace, workspace.startArguments, env)
}

/** Starts a program of this folder with the service's Node options. */
export function startProgram(
  workspace: Workspace,
  file: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<MeasuredServer> {
  const program = `${import.meta.dirname}/${file}`
  return startMeasured(workspace, [...workspace.nodeOptions, program, ...args], env)
}
