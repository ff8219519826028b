import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTicket, TICKET_BYTES, TICKET_PATTERN } from '@public-api/contract/waitlist/ticket'
import * as fc from 'fast-check'

test('a ticket is EA- and 16 upper-case hexadecimal digits', () => {
  const bytes = Uint8Array.of(0x00, 0x01, 0x0a, 0x9f, 0x86, 0xd0, 0x81, 0xff)
  assert.equal(bytes.length, TICKET_BYTES)
  assert.equal(formatTicket(bytes), 'EA-00010A9F86D081FF')
})

test("every ticket has the contract's format and encodes every byte", () => {
  const random = fc.uint8Array({ minLength: TICKET_BYTES, maxLength: TICKET_BYTES })
  fc.assert(
    fc.property(random, (bytes) => {
      const ticket = formatTicket(bytes)
      assert.match(ticket, new RegExp(TICKET_PATTERN))
      assert.deepEqual(Buffer.from(ticket.slice('EA-'.length), 'hex'), Buffer.from(bytes))
    }),
  )
})
