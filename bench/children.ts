import { spawn, type ChildProcess } from 'node:child_process'

const running = new Set<ChildProcess>()

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    // Its process group: npm starts a process of its own.
    process.kill(-child.pid, signal)
  } catch {
    // It has ended already.
  }
}

process.on('exit', () => {
  for (const child of running) kill(child, 'SIGKILL')
})
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.on(signal, () => process.exit(code))
}

/** A child process that does not outlive this one. */
export interface Child {
  readonly pid: number
  /** The first line on its standard output that `find` makes something of; rejects when it ends before. */
  firstLine<Found>(find: (line: string) => Found | undefined): Promise<Found>
  /** Sends a message and resolves with the next one that comes back. */
  ask(message: unknown): Promise<unknown>
  /** Asks it to end, and resolves when it has. */
  end(): Promise<void>
}

/** A child gets this long to end by itself. */
const END_MS = 5000

/** Starts a child in a process group of its own. With `ipc` it can be asked things. */
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
  let isEnded = false
  const noticed: (() => void)[] = []
  const notice = () => {
    for (const listener of noticed) listener()
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      notice()
    })
  }
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      isEnded = true
      running.delete(child)
      notice()
      resolve()
    }
    child.once('close', end)
    child.once('error', (error) => {
      output += error.message
      end()
    })
  })
  const failure = () => new Error(`${command.join(' ')} ended unasked. It had said:\n${output}`)

  return {
    pid: child.pid ?? 0,
    firstLine: (find) =>
      new Promise((resolve, reject) => {
        const look = () => {
          for (const line of output.split('\n')) {
            const found = find(line)
            if (found !== undefined) return resolve(found)
          }
          return isEnded ? reject(failure()) : undefined
        }
        noticed.push(look)
        look()
      }),
    ask: (message) =>
      new Promise((resolve, reject) => {
        child.once('message', resolve)
        void ended.then(() => reject(failure()))
        child.send(message as object)
      }),
    async end() {
      kill(child, 'SIGTERM')
      const killed = setTimeout(() => kill(child, 'SIGKILL'), END_MS)
      await ended
      clearTimeout(killed)
    },
  }
}
