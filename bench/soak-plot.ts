/** One point of the plot: a window of the run. */
export interface SoakWindow {
  /** End of the window since the start of the traffic. */
  readonly atMinutes: number
  readonly residentMegabytes: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly failures: number
}

type Figure = Exclude<keyof SoakWindow, 'atMinutes'>

/** The second figure of a panel is dashed. */
const PANELS: readonly { readonly title: string; readonly figures: readonly Figure[] }[] = [
  { title: 'Resident memory: MB', figures: ['residentMegabytes'] },
  { title: 'Latency: median ms, 99th of 100 (dashed)', figures: ['p50Ms', 'p99Ms'] },
  { title: 'Unexpected responses: a window', figures: ['failures'] },
]

const WIDTH = 720
const PANEL = { left: 64, right: 16, height: 130, gap: 44, top: 30 }

/** The next of 1, 2, 5, 10, … at or above a value: the top of an axis. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

function formatPanel(
  { title, figures }: (typeof PANELS)[number],
  windows: readonly SoakWindow[],
  top: number,
): string {
  const values = windows.flatMap((each) => figures.map((figure) => each[figure]))
  const highest = niceCeiling(Math.max(...values, 0.001))
  const last = windows.at(-1)?.atMinutes ?? 1
  const right = WIDTH - PANEL.right
  const x = (minute: number) => (PANEL.left + (minute / last) * (right - PANEL.left)).toFixed(1)
  const y = (value: number) => (top + PANEL.height * (1 - value / highest)).toFixed(1)
  const grid = [0, highest / 2, highest].map(
    (value) =>
      `<line x1="${PANEL.left}" x2="${right}" y1="${y(value)}" y2="${y(value)}" stroke="#8886"/>` +
      `<text x="${PANEL.left - 8}" y="${y(value)}" text-anchor="end" dominant-baseline="middle">${value}</text>`,
  )
  const lines = figures.map((figure, index) => {
    const points = windows.map((each) => `${x(each.atMinutes)},${y(each[figure])}`).join(' ')
    const dashes = index === 0 ? '' : ' stroke-dasharray="4 3"'
    return `<polyline fill="none" stroke="#3a7bd5" stroke-width="1.5"${dashes} points="${points}"/>`
  })
  const heading = `<text x="${PANEL.left}" y="${top - 10}" font-weight="600">${title}</text>`
  return [heading, ...grid, ...lines].join('')
}

/** The run as an SVG picture that reads on light and dark backgrounds: memory, latency and failures over time. */
export function formatSoakPlot(windows: readonly SoakWindow[]): string {
  const step = PANEL.height + PANEL.gap
  const height = PANEL.top + PANELS.length * step
  const panels = PANELS.map((panel, index) => formatPanel(panel, windows, PANEL.top + index * step))
  const end = `${(windows.at(-1)?.atMinutes ?? 0).toFixed(0)} minutes`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Memory, latency and unexpected responses over ${end}" font-family="system-ui, sans-serif" font-size="12" fill="#888">${panels.join('')}<text x="${WIDTH - PANEL.right}" y="${height - 14}" text-anchor="end">${end}</text></svg>\n`
}
