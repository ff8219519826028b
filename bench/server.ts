import { startChild, type Child } from './children.ts'
import { boundTo } from './cores.ts'
import type { Workspace } from './workspace.ts'

/** A measured server in its own process. */
export interface MeasuredServer {
  readonly port: number
  /** CPU time of its process since the start, all threads, in microseconds. */
  cpuMicros(): Promise<number>
  end(): Promise<void>
}

/** The port in a log line that reports the server's URL. */
export function portIn(line: string): number | undefined {
  if (!line.includes('"url":"http://')) return undefined
  const { url } = JSON.parse(line) as { url: string }
  return Number(new URL(url).port)
}

function isCpuUsage(value: unknown): value is NodeJS.CpuUsage {
  return typeof value === 'object' && value !== null && 'user' in value && 'system' in value
}

const REGISTRATION_SERVER = `${import.meta.dirname}/registration-server.ts`

async function startServer(
  workspace: Workspace,
  core: number | undefined,
  [node = process.execPath, ...args]: readonly string[],
  env: NodeJS.ProcessEnv = workspace.env,
): Promise<MeasuredServer> {
  const reporter = `${import.meta.dirname}/usage-reporter.ts`
  const command = boundTo(core, [node, '--import', reporter, ...args])
  const child: Child = startChild(command, { env, ipc: true })
  const port = await child.firstLine(portIn)
  return {
    port,
    async cpuMicros() {
      const usage = await child.request('usage')
      if (!isCpuUsage(usage)) throw new TypeError('expected CPU usage from the server process')
      return usage.user + usage.system
    },
    end: () => child.end(),
  }
}

/** Starts the service as `npm start` does. */
export function startService(
  workspace: Workspace,
  core: number | undefined,
): Promise<MeasuredServer> {
  return startServer(workspace, core, workspace.startCommand)
}

/** Starts the service on its own database, with the test challenge and without effective limits. */
export function startRegistrationService(
  workspace: Workspace,
  core: number | undefined,
  databaseFile: string,
): Promise<MeasuredServer> {
  const command = [process.execPath, ...workspace.nodeOptions, REGISTRATION_SERVER]
  const env = { SVC_DATABASE_URL: `sqlite:${databaseFile}`, SVC_CHALLENGE: 'test' }
  return startServer(workspace, core, command, { ...workspace.env, ...env })
}

/** Starts one of the peers with the service's Node options. */
export function startPeer(
  workspace: Workspace,
  core: number | undefined,
  [name = '', ...args]: readonly string[],
): Promise<MeasuredServer> {
  const file = `${import.meta.dirname}/peer-${name}.ts`
  const command = [process.execPath, ...workspace.nodeOptions, file, workspace.peerResponseFile]
  return startServer(workspace, core, [...command, ...args])
}
