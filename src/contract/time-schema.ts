import { LIMITS } from './limits.ts'
import { record, timestamp, whole } from './response-fields.ts'
import { enumField } from './snapshot-fields.ts'

/** States of the time quality (contract decisions section 6). */
const TIME_STATES = ['SYNCHRONIZED', 'UNSYNCHRONIZED', 'UNVERIFIED'] as const

/** `data` of the time. */
export const TIME_SCHEMA = record('The server’s UTC time and its quality.', {
  utc: timestamp('The time.'),
  epochMs: whole('The same time in milliseconds since 1970-01-01T00:00:00Z.', 1_795_251_600_000),
  label: enumField(['SERVER_UTC'], 'Whose clock this is.', 'SERVER_UTC'),
  quality: record(
    'Quality of the time.',
    {
      state: enumField(
        TIME_STATES,
        `SYNCHRONIZED: measured, and |offset| plus maximum error is at most ${LIMITS.maxTimeDistanceMs} ms. UNSYNCHRONIZED: the sum is larger, or the source has not responded correctly for ${LIMITS.timeSilenceSeconds} s. UNVERIFIED: not measured.`,
        'UNVERIFIED',
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
    },
    { title: 'TimeQuality' },
  ),
})
