import { EXAMPLE_EPOCH_MS, enumField, named, record, timestamp, whole } from './fields.ts'
import { LIMITS } from './limits.ts'

/** States of the time quality (contract decisions section 6). */
const TIME_STATES = ['SYNCHRONIZED', 'UNSYNCHRONIZED', 'UNVERIFIED'] as const

/** `data` of the time. */
export const TIME_SCHEMA = record('The server’s UTC time and its quality.', {
  utc: timestamp('The time.'),
  epochMs: whole('The same time in milliseconds since 1970-01-01T00:00:00Z.', EXAMPLE_EPOCH_MS),
  label: enumField(['SERVER_UTC'], 'Name of the clock: the server’s, in UTC.', 'SERVER_UTC'),
  quality: named('TimeQuality', 'Quality of the time.', {
    state: enumField(
      TIME_STATES,
      `SYNCHRONIZED: measured, and |offset| plus maximum error is at most ${LIMITS.maxTimeDistanceMs} ms. UNSYNCHRONIZED: the sum is larger, or the source has not responded correctly for ${LIMITS.timeSilenceSeconds} s. UNVERIFIED: not measured.`,
      'SYNCHRONIZED',
    ),
    source: {
      type: 'string',
      nullable: true,
      description: 'The time source of the measurement; null if no source is configured.',
      example: 'time.example.org',
    },
    offsetMs: {
      type: 'integer',
      nullable: true,
      description: 'Offset of this clock from the source, in milliseconds; null if not measured.',
      example: 0,
    },
    maxErrorMs: {
      type: 'integer',
      nullable: true,
      description: 'Maximum error of the offset, in milliseconds; null if not measured.',
      example: 4,
    },
    checkedAt: {
      ...timestamp('Time of the last measurement; null if never measured.'),
      nullable: true,
    },
  }),
})
