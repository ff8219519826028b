import assert from 'node:assert/strict'
import { parseAddressRange, type AddressRange } from '../../src/service/waitlist/address-range.ts'

/** Trusted proxies, by addresses and ranges as an operator writes them. */
export function proxies(...texts: readonly string[]): readonly AddressRange[] {
  return texts.map((text) => {
    const range = parseAddressRange(text)
    assert.ok(range !== undefined, `${text}: expected an address or a range`)
    return range
  })
}
