import { spawn, type ChildProcess } from 'node:child_process'

const running = new Set<ChildProcess>()

/** Signals the process group of a child, since npm starts a process of its own. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // The group has exited.
  }
}

process.on('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL')
})
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

const TERMINATION_MS = 5000

/** Starts a child in its own process group, with a message channel if `ipc` is set. */
export function startChild(
  command: readonly string[],
  { env, ipc }: { readonly env?: NodeJS.ProcessEnv; readonly ipc: boolean },
): Child {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    detached: true,
    env: env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? ['ipc' as const] : [])],
  })
  running.add(child)
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
  }).then(() => running.delete(child))
  const rejectOnExit = (reject: (error: Error) => void) =>
    void exited.then(() => reject(new Error(`${command.join(' ')} exited. Its output:\n${output}`)))
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
      signalGroup(child, 'SIGTERM')
      const killed = setTimeout(() => signalGroup(child, 'SIGKILL'), TERMINATION_MS)
      await exited
      clearTimeout(killed)
    },
  }
}
