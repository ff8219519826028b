/** Where progress is shown; `process.stderr` is one. */
export interface ProgressStream {
  readonly isTTY?: boolean
  write(text: string): boolean
}

/** What is done of some work: one line on a terminal, which is removed at the end. */
export interface Progress {
  advance(count: number): void
  /** Prints a line above it, on any stream. */
  print(line: string): void
  /** Removes the line. */
  end(): void
}

/** Shows progress as `Opening 50/200`, drawn again at each percent. `label` is a word, `total` the expected amount. */
export function createProgress(
  label: string,
  total: number,
  stream: ProgressStream = process.stderr,
): Progress {
  const isTerminal = stream.isTTY === true && process.env['TERM'] !== 'dumb'
  let done = 0
  let shown = ''
  let drawnAt = -1

  function clear(): void {
    if (shown !== '') stream.write(`\r${' '.repeat(shown.length)}\r`)
    shown = ''
  }

  function draw(): void {
    // Never shorter than before: the numbers only grow.
    shown = `${label} ${done}/${Math.max(total, done)}`
    stream.write(`\r${shown}`)
  }

  return {
    advance(count) {
      done += count
      const percent = Math.floor((100 * done) / Math.max(total, 1))
      if (!isTerminal || percent === drawnAt) return
      drawnAt = percent
      draw()
    },
    print(line) {
      clear()
      stream.write(`${line}\n`)
      if (isTerminal) draw()
    },
    end: clear,
  }
}

/** Shows the progress of some work while it runs. */
export async function withProgress<Result>(
  label: string,
  total: number,
  work: (progress: Progress) => Promise<Result>,
  stream?: ProgressStream,
): Promise<Result> {
  const progress = createProgress(label, total, stream)
  try {
    return await work(progress)
  } finally {
    progress.end()
  }
}
