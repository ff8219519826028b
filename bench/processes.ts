import { execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
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
  /** Terminates the child and resolves after its exit. */
  end(): Promise<void>
}

const TERMINATION_MS = 5000

/** Starts a child. */
function startChild(command: readonly string[], env = process.env): Child {
  const [program = '', ...args] = command
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const kill = () => void child.kill('SIGKILL')
  process.on('exit', kill)
  let output = ''
  const append = (text: string) => {
    output += text
  }
  child.stdout.setEncoding('utf8').on('data', append)
  child.stderr.setEncoding('utf8').on('data', append)
  const exited = new Promise<void>((resolve) => {
    child.once('close', resolve)
    child.once('error', (error) => {
      append(error.message)
      resolve()
    })
  }).finally(() => process.off('exit', kill))
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
        child.stdout.on('data', look)
        child.stderr.on('data', look)
        look()
        void exited.then(() =>
          reject(new Error(`${command.join(' ')} exited. Its output:\n${output}`)),
        )
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
  /** CPU time when it logged its URL, in microseconds. */
  readonly startMicros: number
  /** CPU time since the start, all threads that still run, in microseconds. */
  cpuMicros(): number
  /** Resident memory in megabytes (10⁶ bytes). */
  residentMegabytes(): number
}

/** Starts a server that logs its URL, and waits for it. */
async function openServer(command: readonly string[], env: NodeJS.ProcessEnv): Promise<Server> {
  const child = startChild(command, env)
  const url = await child.firstLine((line) => /"url":"(http:[^"]*)"/.exec(line)?.[1])
  const folder = `/proc/${child.pid}`
  const cpuMicros = () => {
    const nanoseconds = readdirSync(`${folder}/task`).map((thread) =>
      Number(readFileSync(`${folder}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    )
    return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000
  }
  return {
    ...child,
    port: Number(new URL(url).port),
    startMicros: cpuMicros(),
    cpuMicros,
    residentMegabytes() {
      const status = readFileSync(`${folder}/status`, 'utf8')
      return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6
    },
  }
}

/** Starts the service as `npm start` does, with some variables of its own. */
export function startService(
  { env, startArguments, place }: Workspace,
  variables: NodeJS.ProcessEnv = {},
): Promise<Server> {
  const command = place([process.execPath, ...startArguments], 'server')
  return openServer(command, { ...env, ...variables })
}

/** Starts a server of this folder with the service's Node options. */
export function startProgram(
  { env, nodeOptions, place }: Workspace,
  [file, ...args]: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<Server> {
  const program = `${import.meta.dirname}/${file}`
  const command = place([process.execPath, ...nodeOptions, program, ...args], 'server')
  return openServer(command, { ...env, ...variables })
}

/** Runs `svc` of this repository to its end. Rejects if it fails. */
export function runSvc({ root, env, folder, place }: Workspace, ...args: readonly string[]) {
  const svc = [process.execPath, path.join(root, 'src', 'cli', 'svc.mjs'), ...args]
  const [program = '', ...rest] = place(svc, 'any')
  return promisify(execFile)(program, rest, { env, cwd: folder })
}

/** Prints at the end of a process what it used: CPU time in microseconds and its largest resident memory in KiB. */
const USAGE = `data:text/javascript,process.on('exit',()=>{const{userCPUTime:u,systemCPUTime:s,maxRSS:r}=process.resourceUsage();process.stderr.write('\\n'+JSON.stringify([u+s,r]))})`

/** Runs `svc` as `npm run svc` and its installed script do, with the processor time and the memory that it took. */
export async function measureSvc(workspace: Workspace, ...args: readonly string[]) {
  const env = {
    ...workspace.env,
    SVC_BASE_URL: 'https://api.example.org',
    NODE_OPTIONS: `--max-semi-space-size=4 --import=${USAGE}`,
  }
  const { stdout: out, stderr } = await runSvc({ ...workspace, env }, ...args)
  const [micros = 0, kibibytes = 0] = JSON.parse(stderr.split('\n').at(-1) ?? '') as number[]
  return { out, seconds: micros / 1e6, megabytes: (kibibytes * 1024) / 1e6 }
}
