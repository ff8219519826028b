import { fileURLToPath } from 'node:url'
import { startChild, type Child } from './children.ts'
import { boundTo } from './cores.ts'
import type { Workspace } from './workspace.ts'

/** A server that is measured, in a process of its own. */
export interface MeasuredServer {
  readonly port: number
  /** CPU time that its process has used since it began, all threads, in microseconds. */
  cpuMicros(): Promise<number>
  end(): Promise<void>
}

/** The address in a line of JSON such as the service's log writes when it serves. */
export function portIn(line: string): number | undefined {
  if (!line.includes('"url":"http://')) return undefined
  const { url } = JSON.parse(line) as { url: string }
  return Number(new URL(url).port)
}

function isCpuUsage(value: unknown): value is NodeJS.CpuUsage {
  return typeof value === 'object' && value !== null && 'user' in value && 'system' in value
}

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
      const usage = await child.ask('usage')
      if (!isCpuUsage(usage)) throw new TypeError('expected CPU usage from the server process')
      return usage.user + usage.system
    },
    end: () => child.end(),
  }
}

function environmentWith({ env }: Workspace, databaseFile: string | undefined): NodeJS.ProcessEnv {
  return databaseFile === undefined ? env : { ...env, SVC_DATABASE_URL: `sqlite:${databaseFile}` }
}

/** Starts the service as `npm start` does, on another database when one is named. */
export function startService(
  workspace: Workspace,
  core: number | undefined,
  databaseFile?: string,
): Promise<MeasuredServer> {
  const env = environmentWith(workspace, databaseFile)
  return startServer(workspace, core, workspace.startCommand, env)
}

/** Starts the service on a database of its own, with a challenge that anyone passes and limits that nobody reaches. */
export function startRegistrationService(
  workspace: Workspace,
  core: number | undefined,
  databaseFile: string,
): Promise<MeasuredServer> {
  const file = fileURLToPath(new URL('registration-server.ts', import.meta.url))
  return startServer(workspace, core, [process.execPath, ...workspace.nodeOptions, file], {
    ...environmentWith(workspace, databaseFile),
    SVC_CHALLENGE: 'test',
  })
}

/** Starts one of the peers, under the same options of Node as the service. */
export function startPeer(
  workspace: Workspace,
  core: number | undefined,
  [name = '', ...args]: readonly string[],
): Promise<MeasuredServer> {
  const file = `${import.meta.dirname}/peer-${name}.ts`
  const command = [process.execPath, ...workspace.nodeOptions, file, workspace.answerFile, ...args]
  return startServer(workspace, core, command)
}
