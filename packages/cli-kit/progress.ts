/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The part of a stream that a progress bar needs; `process.stderr` is one. */
export interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): boolean
}

export interface ProgressOptions {
  readonly stream: ProgressStream
  /** A word before the bar, such as `Opening`. */
  readonly label: string
  /** The expected amount of work. */
  readonly total: number
  /** For TERM. */
  readonly env: Environment
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number
}

/** A progress bar: on a terminal only, in one line that is removed at the end. */
export interface Progress {
  advance(count: number): void
  /** Prints a line above the bar. */
  print(line: string): void
  /** Removes the bar. */
  end(): void
}

const REDRAW_MS = 100
/** An earlier estimate would be unstable. */
const ESTIMATE_AFTER_MS = 1000
const MIN_BAR_COLUMNS = 10
const MAX_BAR_COLUMNS = 40
const DEFAULT_COLUMNS = 80

/** A duration as `m:ss` or `h:mm:ss`, rounded up to a second. */
export function formatTimeLeft(durationMs: number): string {
  const seconds = Math.ceil(durationMs / 1000)
  const two = (value: number): string => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return hours === 0
    ? `${minutes}:${two(seconds % 60)}`
    : `${hours}:${two(minutes)}:${two(seconds % 60)}`
}

/** The width of a terminal; 0 means unknown. */
function columnsOf({ columns }: ProgressStream): number | undefined {
  return columns === 0 ? undefined : columns
}

function drawBar(columns: number, share: number): string {
  const width = Math.min(columns, MAX_BAR_COLUMNS) - 2
  const filled = Math.floor(width * share)
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}]`
}

/** A progress bar on a stream, standard error by default, while some work runs. */
export async function withProgress<Result>(
  {
    stream = process.stderr,
    ...options
  }: Pick<ProgressOptions, 'label' | 'total'> & Partial<Pick<ProgressOptions, 'stream'>>,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const nowMs = () => performance.now()
  const progress = createProgress({ ...options, stream, env: process.env, nowMs })
  try {
    return await work(progress)
  } finally {
    progress.end()
  }
}

/** A progress bar on a stream. If the stream is not a terminal that can move its cursor, only lines are printed. */
export function createProgress(options: ProgressOptions): Progress {
  const { stream, label, total, env, nowMs } = options
  const isTerminal = stream.isTTY === true && env['TERM'] !== 'dumb'
  const startedMs = nowMs()
  let drawnMs = Number.NEGATIVE_INFINITY
  let done = 0
  /** Columns of the last drawing. */
  let used = 0

  function clear(): void {
    if (used === 0) return
    stream.write(`\r${' '.repeat(used)}\r`)
    used = 0
  }

  function draw(): void {
    drawnMs = nowMs()
    const goal = Math.max(total, done)
    const share = goal === 0 ? 1 : done / goal
    const elapsedMs = drawnMs - startedMs
    const left =
      elapsedMs < ESTIMATE_AFTER_MS || done === 0
        ? ''
        : `  ${formatTimeLeft((elapsedMs / done) * (goal - done))} left`
    const percent = String(Math.floor(share * 100)).padStart(3)
    const count = String(done).padStart(String(goal).length)
    const text = `${percent} %  ${count}/${goal}${left}`
    // Some terminals wrap when the last column is written.
    const room = Math.max((columnsOf(stream) ?? DEFAULT_COLUMNS) - 1, 1)
    const forBar = room - label.length - text.length - 2
    const hasBar = forBar >= MIN_BAR_COLUMNS
    const bar = hasBar ? `${drawBar(forBar, share)} ` : ''
    const line = `${label} ${bar}${text}`.slice(0, room)
    stream.write(`\r${line}${' '.repeat(Math.min(Math.max(used - line.length, 0), room))}`)
    used = line.length
  }

  return {
    advance(count) {
      done += count
      if (isTerminal && nowMs() - drawnMs >= REDRAW_MS) draw()
    },
    print(line) {
      clear()
      stream.write(`${line}\n`)
      if (isTerminal) draw()
    },
    end: clear,
  }
}
