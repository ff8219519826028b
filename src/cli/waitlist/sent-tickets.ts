import { readFileSync } from 'node:fs'
import { CommandFailure } from '@public-api/cli-kit/command'
import { messageOf } from '@public-api/contract/errors/error-message'
import { propertyOf } from '@public-api/contract/json/property-of'
import { TICKET_PATTERN } from '@public-api/contract/waitlist/ticket'
import { CsvError, parse } from 'csv-parse/sync'

const TICKET = new RegExp(TICKET_PATTERN)

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface SentRecord {
  /** Where it is in the file, for a message. */
  readonly at: string
  readonly ticket: unknown
}

/** A file in a format of `svc waitlist export`, by its first line. */
const CSV_START = /^(?:ticket|email),/

function readCsvRecords(text: string): readonly SentRecord[] {
  const records: readonly { readonly [column: string]: string }[] = parse(text, { columns: true })
  return records.map(({ ticket, attributes = '' }, index) => ({
    at: `record ${index + 1}`,
    ticket: ticket ?? propertyOf(parseOrUndefined(attributes), 'ticket'),
  }))
}

function readLineRecords(text: string): readonly SentRecord[] {
  return text.split('\n').flatMap((line, index) => {
    const content = line.trim()
    if (content === '') return []
    const isJson = content.startsWith('{')
    const ticket = isJson ? propertyOf(parseOrUndefined(content), 'ticket') : content
    return [{ at: `line ${index + 1}`, ticket }]
  })
}

/**
 * The tickets in a file: an earlier export in any format, or one ticket a line. Only the ticket of a record counts, since
 * its free text may quote another person's. Throws a CommandFailure that names the first record without a ticket and does
 * not quote it: a batch that ignored part of its exclusions would invite people twice.
 */
export function readSentTickets(file: string): readonly string[] {
  let records: readonly SentRecord[]
  try {
    const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
    records = CSV_START.test(text) ? readCsvRecords(text) : readLineRecords(text)
  } catch (error) {
    const reason =
      error instanceof CsvError ? `expected a whole CSV export (${error.code})` : messageOf(error)
    throw new CommandFailure('EXCLUDE', `${file}: could not be read: ${reason}`)
  }
  return records.map(({ at, ticket }) => {
    if (typeof ticket === 'string' && TICKET.test(ticket)) return ticket
    throw new CommandFailure(
      'EXCLUDE',
      `${file}: ${at}: expected a ticket such as EA-0123456789ABCDEF, or a file written by svc waitlist export`,
    )
  })
}
