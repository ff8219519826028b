import type { ExportResult } from './export.ts'
import type { LikenessResult, ListResult, RegistrationResult } from './registration-result.ts'
import { range, verdict, whole, type Table } from './table.ts'

const milliseconds = (value: number) => value.toFixed(2)
const ratio = (value: number) => value.toFixed(2)
const fineRatio = (value: number) => value.toFixed(3)

function nameOfList({ rows }: { readonly rows: number }): string {
  return rows === 0 ? 'empty' : `${whole(rows)} rows`
}

function nameOfConnections(connections: number): string {
  return connections === 1 ? '1 connection' : `${connections} connections`
}

function growthTable({ lists, growthTarget, requests, rounds }: RegistrationResult): Table {
  return {
    title: `One registration, on one connection (${rounds} rounds of ${whole(requests * 2)})`,
    heading: [
      'the list',
      'median ms',
      'spread',
      '95th of 100',
      'to empty',
      'spread',
      'at most',
      '',
    ],
    rows: lists.map((list) => [
      nameOfList(list),
      milliseconds(list.latencyMs.median),
      range(list.latencyMs, milliseconds),
      milliseconds(list.p95Ms.median),
      ratio(list.ratio.median),
      range(list.ratio, ratio),
      ratio(growthTarget),
      verdict(list.isMet),
    ]),
  }
}

function rateTable({ lists, connections }: RegistrationResult): Table {
  return {
    title: `Registrations together, and the durable write of a row by itself`,
    heading: ['the list', `requests/s on ${connections}`, 'spread', 'bare write ms', 'spread'],
    rows: lists.map((list) => [
      nameOfList(list),
      whole(list.requestsPerSecond.median),
      range(list.requestsPerSecond, whole),
      milliseconds(list.insertMs.median),
      range(list.insertMs, milliseconds),
    ]),
  }
}

function shareTable({ shares, connections }: RegistrationResult): Table {
  return {
    title: 'Where the time of a registration goes, on an empty list',
    heading: ['what', 'median ms', 'spread', `requests/s on ${connections}`],
    rows: shares.map(({ title, latencyMs, requestsPerSecond }) => [
      title,
      milliseconds(latencyMs.median),
      range(latencyMs, milliseconds),
      requestsPerSecond === undefined ? '' : whole(requestsPerSecond.median),
    ]),
  }
}

function likenessTable({ likeness, likenessTarget }: RegistrationResult): Table {
  return {
    title: 'A known address beside a new one, CPU time of the server per request',
    heading: [
      'the list',
      'load',
      'new µs',
      'known µs',
      'known / new',
      'spread',
      'within',
      '',
      'new ms',
      'known ms',
    ],
    rows: likeness.map((each) => [
      nameOfList(each),
      nameOfConnections(each.connections),
      whole(each.unknownMicros.median),
      whole(each.knownMicros.median),
      fineRatio(each.ratio.median),
      range(each.ratio, fineRatio),
      `${whole(likenessTarget * 100)} %`,
      verdict(each.isMet),
      milliseconds(each.unknownMs.median),
      milliseconds(each.knownMs.median),
    ]),
  }
}

/** The tables of the registration part. */
export function registrationTables(result: RegistrationResult): readonly Table[] {
  return [growthTable(result), rateTable(result), shareTable(result), likenessTable(result)]
}

/** The table of the export part. */
export function exportTable({ rows, ways, rounds, sealedPerSecond }: ExportResult): Table {
  return {
    title: `Opening a list of ${whole(rows)} rows, each sealed by itself (${rounds} rounds; sealed and stored at ${whole(sealedPerSecond)} a second)`,
    heading: ['how', 'rows', 'rows/s', 'spread', 'rows/s of one processor', 'spread'],
    rows: ways.map(({ title, rows: opened, rowsPerSecond, rowsPerCpuSecond }) => [
      title,
      whole(opened),
      whole(rowsPerSecond.median),
      range(rowsPerSecond, whole),
      rowsPerCpuSecond === undefined ? '' : whole(rowsPerCpuSecond.median),
      rowsPerCpuSecond === undefined ? '' : range(rowsPerCpuSecond, whole),
    ]),
  }
}

function missedGrowth(list: ListResult, target: number): string {
  return `a registration on a list of ${whole(list.rows)} rows, to one on an empty list: found ${ratio(list.ratio.median)}, expected at most ${ratio(target)}`
}

function missedLikeness({ rows, connections, ratio: found }: LikenessResult, target: number) {
  const where = `on a list of ${whole(rows)} rows, ${nameOfConnections(connections)}`
  return `a known address to a new one, ${where}: found ${fineRatio(found.median)}, expected within ${whole(target * 100)} % of 1`
}

/** One line for each target of the registration part that was missed. */
export function missedInRegistration(result: RegistrationResult): readonly string[] {
  const { lists, growthTarget, likeness, likenessTarget } = result
  return [
    ...lists.filter(({ isMet }) => !isMet).map((list) => missedGrowth(list, growthTarget)),
    ...likeness.filter(({ isMet }) => !isMet).map((each) => missedLikeness(each, likenessTarget)),
  ]
}
