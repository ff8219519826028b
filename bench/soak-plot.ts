/** One point of the plot: a window of the run. */
export interface SoakWindow {
  /** End of the window since the start of the traffic. */
  readonly atMinutes: number
  readonly residentMegabytes: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly failures: number
}

interface Series {
  readonly label: string
  readonly values: readonly number[]
  readonly isDashed?: boolean
}

const WIDTH = 720
const PANEL = { left: 64, right: 16, height: 130, gap: 44, top: 30 }

/** The next of 1, 2, 5, 10, … at or above a value: the top of an axis. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

function formatPanel(
  title: string,
  minutes: readonly number[],
  series: readonly Series[],
  top: number,
): string {
  const highest = niceCeiling(Math.max(...series.flatMap(({ values }) => values), 0.001))
  const last = minutes.at(-1) ?? 1
  const plotWidth = WIDTH - PANEL.left - PANEL.right
  const x = (minute: number) => (PANEL.left + (minute / last) * plotWidth).toFixed(1)
  const y = (value: number) => (top + PANEL.height * (1 - value / highest)).toFixed(1)
  const grid = [0, 0.5, 1].map(
    (share) =>
      `<line x1="${PANEL.left}" x2="${WIDTH - PANEL.right}" y1="${y(highest * share)}" y2="${y(highest * share)}" stroke="#8886"/>` +
      `<text x="${PANEL.left - 8}" y="${y(highest * share)}" text-anchor="end" dominant-baseline="middle">${highest * share}</text>`,
  )
  const lines = series.map(
    ({ values, isDashed }) =>
      `<polyline fill="none" stroke="#3a7bd5" stroke-width="1.5"${isDashed ? ' stroke-dasharray="4 3"' : ''} points="${values
        .map((value, index) => `${x(minutes[index] ?? 0)},${y(value)}`)
        .join(' ')}"/>`,
  )
  const legend = series
    .map(({ label, isDashed }) => `${label}${isDashed ? ' (dashed)' : ''}`)
    .join(', ')
  return `<text x="${PANEL.left}" y="${top - 10}" font-weight="600">${title}: ${legend}</text>${grid.join('')}${lines.join('')}`
}

/** The run as an SVG picture that reads on light and dark backgrounds: memory, latency and failures over time. */
export function formatSoakPlot(windows: readonly SoakWindow[]): string {
  const minutes = windows.map(({ atMinutes }) => atMinutes)
  const panels: readonly (readonly [string, readonly Series[]])[] = [
    ['Resident memory', [{ label: 'MB', values: windows.map((each) => each.residentMegabytes) }]],
    [
      'Latency',
      [
        { label: 'median ms', values: windows.map(({ p50Ms }) => p50Ms) },
        { label: '99th of 100', values: windows.map(({ p99Ms }) => p99Ms), isDashed: true },
      ],
    ],
    [
      'Unexpected responses',
      [{ label: 'a window', values: windows.map(({ failures }) => failures) }],
    ],
  ]
  const step = PANEL.height + PANEL.gap
  const height = PANEL.top + panels.length * step
  const body = panels.map(([title, series], index) =>
    formatPanel(title, minutes, series, PANEL.top + index * step),
  )
  const end = (minutes.at(-1) ?? 0).toFixed(0)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Memory, latency and unexpected responses over ${end} minutes" font-family="system-ui, sans-serif" font-size="12" fill="#888">${body.join('')}<text x="${WIDTH - PANEL.right}" y="${height - 14}" text-anchor="end">${end} minutes</text></svg>\n`
}
