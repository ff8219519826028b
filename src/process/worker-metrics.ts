import type { Worker } from 'node:cluster'

/** Asks a worker for its figures; the worker's answer carries the same number. */
interface Question {
  readonly figuresAsked: number
}
interface Figures {
  readonly figuresAsked: number
  readonly figures: readonly object[]
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'figuresAsked' in message
}

function isFigures(message: unknown): message is Figures {
  return isQuestion(message) && 'figures' in message && Array.isArray(message.figures)
}

/** In a worker: tells its figures when asked. */
export function answerFigures(read: () => Promise<readonly object[]>): void {
  process.on('message', (message: unknown) => {
    if (!isQuestion(message)) return
    const { figuresAsked } = message
    void read().then((figures) => process.send?.({ figuresAsked, figures } satisfies Figures))
  })
}

/** A worker that takes longer to tell its figures does not get to its messages. */
const FIGURES_TIMEOUT_MS = 1000

/** A worker's figures, as `answerFigures` tells them: none when it ended meanwhile, undefined when it did not answer in time. */
export function askFigures(
  worker: Worker,
  figuresAsked: number,
): Promise<readonly object[] | undefined> {
  return new Promise((resolve) => {
    function settle(figures: readonly object[] | undefined): void {
      clearTimeout(late)
      worker.off('message', hear)
      worker.off('exit', leave)
      resolve(figures)
    }
    function hear(message: unknown): void {
      if (isFigures(message) && message.figuresAsked === figuresAsked) settle(message.figures)
    }
    const leave = () => settle([])
    const late = setTimeout(() => settle(undefined), FIGURES_TIMEOUT_MS)
    worker.on('message', hear)
    worker.once('exit', leave)
    worker.send({ figuresAsked } satisfies Question, (error) => {
      if (error !== null) leave()
    })
  })
}
