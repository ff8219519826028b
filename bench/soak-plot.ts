/** One point of the plot: a window of the run. */
export interface SoakWindow {
  /** End of the window since the start of the traffic. */
  readonly atMinutes: number
  readonly megabytes: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly failures: number
}

/** The second figure of a panel is dashed. */
const PANELS = [
  { title: 'Resident memory: MB', figures: ['megabytes'] },
  { title: 'Latency: median ms, 99th of 100 (dashed)', figures: ['p50Ms', 'p99Ms'] },
  { title: 'Unexpected responses: a window', figures: ['failures'] },
] as const

const WIDTH = 720
const LEFT = 64
const RIGHT = WIDTH - 16
const PANEL_HEIGHT = 130
const STEP = PANEL_HEIGHT + 44

function formatPanel(
  { title, figures }: (typeof PANELS)[number],
  windows: readonly SoakWindow[],
  top: number,
): string {
  const highest = Math.max(1, ...windows.flatMap((each) => figures.map((figure) => each[figure])))
  const last = windows.at(-1)?.atMinutes ?? 1
  const x = (minute: number) => (LEFT + (minute / last) * (RIGHT - LEFT)).toFixed(1)
  const y = (value: number) => (top + PANEL_HEIGHT * (1 - value / highest)).toFixed(1)
  const grid = [0, highest / 2, highest].map(
    (value) =>
      `<line x1="${LEFT}" x2="${RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="#8886"/>` +
      `<text x="${LEFT - 8}" y="${y(value)}" text-anchor="end" dominant-baseline="middle">${Number(value.toPrecision(3))}</text>`,
  )
  const lines = figures.map((figure, index) => {
    const points = windows.map((each) => `${x(each.atMinutes)},${y(each[figure])}`).join(' ')
    const dashes = index === 0 ? '' : ' stroke-dasharray="4 3"'
    return `<polyline fill="none" stroke="#3a7bd5" stroke-width="1.5"${dashes} points="${points}"/>`
  })
  const heading = `<text x="${LEFT}" y="${top - 10}" font-weight="600">${title}</text>`
  return [heading, ...grid, ...lines].join('')
}

/** The run as an SVG picture that reads on light and dark backgrounds: memory, latency and failures over time. */
export function formatSoakPlot(windows: readonly SoakWindow[]): string {
  const height = 30 + PANELS.length * STEP
  const panels = PANELS.map((panel, index) => formatPanel(panel, windows, 30 + index * STEP))
  const end = `${(windows.at(-1)?.atMinutes ?? 0).toFixed(0)} minutes`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Memory, latency and unexpected responses over ${end}" font-family="system-ui, sans-serif" font-size="12" fill="#888">${panels.join('')}<text x="${RIGHT}" y="${height - 14}" text-anchor="end">${end}</text></svg>\n`
}
