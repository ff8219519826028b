import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { StopTimes } from '../../src/process/server.ts'
import { collectText } from './collect-text.ts'
import { eventually } from './eventually.ts'
import type { TestScope } from './test-scope.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const HASTY_MAIN = fileURLToPath(new URL('short-timeout-main.ts', import.meta.url))

/** The end of a process: its exit code, or the signal that killed it. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** One line of the service's log, as it was written. */
export interface WrittenLine {
  readonly level: string
  readonly msg: string
  readonly [name: string]: unknown
}

/** The real program in its own process. */
export interface ServiceProcess {
  readonly pid: number
  /** Everything on standard output so far. */
  stdout(): string
  stderr(): string
  /** Standard output so far, each line as the JSON object that it must be. */
  lines(): readonly WrittenLine[]
  /** The first line, past or future, whose message contains the text. Rejects if the process ends without it. */
  line(text: string): Promise<WrittenLine>
  /** The line with the serving address. */
  serving(): Promise<{ readonly origin: string; readonly port: number }>
  signal(name: NodeJS.Signals): void
  /** Resolves when the process has ended. */
  readonly ended: Promise<Ending>
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<Ending>
}

/** The program's file and its arguments, for one whose stop takes other times than ten seconds. */
export function hastyProgram(times: StopTimes): readonly string[] {
  return [HASTY_MAIN, String(times.graceMs), String(times.killAfterMs)]
}

/**
 * Starts the program with a clean environment: only the path, and the folders for
 * temporary files and compiled sources. PORT is 0 by
 * default. The process is killed when the test ends.
 */
export function startService(
  t: TestScope,
  folder: string,
  env: { readonly [name: string]: string } = {},
  program: readonly string[] = [MAIN],
): ServiceProcess {
  const { PATH = '', TMPDIR, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, program, {
    cwd: folder,
    env: {
      PATH,
      PORT: '0',
      ...(TMPDIR === undefined ? {} : { TMPDIR }),
      ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = [collectText(child.stdout), collectText(child.stderr)]
  const written: string[] = []
  createInterface({ input: child.stdout }).on('line', (text) => written.push(text))
  let hasEnded = false
  // `close` comes after the streams were read, `exit` may come before.
  const ended = once(child, 'close').then(([code, signal]: unknown[]): Ending => {
    hasEnded = true
    return { code: code as number | null, signal: signal as NodeJS.Signals | null }
  })
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines = () => written.map((text) => JSON.parse(text) as WrittenLine)
  const line = (text: string) =>
    eventually(`a log line with "${text}"; standard error: ${stderr.text}`, () => {
      const found = lines().find(({ msg }) => msg.includes(text))
      if (found === undefined && hasEnded) {
        throw new Error(`The process ended before it wrote "${text}": ${stdout.text}${stderr.text}`)
      }
      return found
    })
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout.text,
    stderr: () => stderr.text,
    lines,
    line,
    async serving() {
      const { url } = await line('Serving at')
      const origin = String(url)
      return { origin, port: Number(new URL(origin).port) }
    },
    signal: (name) => void child.kill(name),
    ended,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** Runs a process to its end, for starts that must fail. */
export async function failedStart(
  t: TestContext,
  folder: string,
  env: { readonly [name: string]: string } = {},
): Promise<{ readonly ending: Ending; readonly service: ServiceProcess }> {
  const service = startService(t, folder, env)
  const ending = await service.ended
  return { ending, service }
}

/** The ID of the key that signs, as the service publishes it. */
export async function servedKeyId(origin: string): Promise<string> {
  const response = await fetch(`${origin}/api/v1/keys/signing-key`)
  if (response.status !== 200) throw new Error(`The signing keys answered ${response.status}`)
  const { data } = (await response.json()) as { readonly data: { readonly keyId: string } }
  return data.keyId
}

/** Whether a process lives. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
