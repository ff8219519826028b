import { PAGE_SENDERS, type PageCost, type PageSender, type PagesResult } from './pages-result.ts'
import { range, verdict, whole, type Table } from './table.ts'

const micros = (value: number) => value.toFixed(1)
const ratio = (value: number) => value.toFixed(2)

function rowsOf(page: PageCost, rateTarget: number): Table['rows'] {
  return (Object.keys(PAGE_SENDERS) as PageSender[]).map((sender) => {
    const { cpuMicros, rate, busy } = page.senders[sender]
    return [
      `${page.target}, ${page.coding}`,
      PAGE_SENDERS[sender],
      whole(page.bodyBytes),
      micros(cpuMicros.median),
      range(cpuMicros, micros),
      whole(rate.median),
      range(rate, whole),
      `${whole(busy * 100)} %`,
      ...(sender === 'service'
        ? [
            ratio(page.toBare.median),
            range(page.toBare, ratio),
            ratio(rateTarget),
            verdict(page.isMet),
          ]
        : ['', '', '', '']),
    ]
  })
}

/** The table of the pages part. */
export function pagesTable(result: PagesResult): Table {
  const { connections, rounds, requestsPerRound, rateTarget } = result
  return {
    title: `Sending a page from memory (${connections} connections, ${rounds} rounds of ${whole(requestsPerRound)} requests)`,
    heading: [
      'page',
      'what sends it',
      'bytes',
      'CPU µs',
      'spread',
      'requests/s',
      'spread',
      'server busy',
      'to bare',
      'spread',
      'at least',
      '',
    ],
    rows: result.pages.flatMap((page) => rowsOf(page, rateTarget)),
  }
}

/** One line for each page that is sent at less than the promised rate. */
export function missedInPages({ pages, rateTarget }: PagesResult): readonly string[] {
  return pages
    .filter(({ isMet }) => !isMet)
    .map(
      ({ target, coding, toBare }) =>
        `the rate of ${target} in ${coding} to that of a bare server: found ${ratio(toBare.median)}, expected at least ${ratio(rateTarget)}`,
    )
}
