import { BlockList, isIP } from 'node:net'

/** The addresses that share their first `bits` bits with `address`. */
export interface AddressRange {
  readonly address: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

/** Reads an IP address, or a range such as `10.0.0.0/8`; undefined for anything else. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return undefined
  const [family, longest] = version === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const)
  if (bits === undefined) return { address, bits: longest, family }
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > longest) return undefined
  return { address, bits: Number(bits), family }
}

/** A check of whether a text is an IP address in one of the ranges. */
export function createRangeCheck(ranges: readonly AddressRange[]): (text: string) => boolean {
  const list = new BlockList()
  for (const { address, bits, family } of ranges) list.addSubnet(address, bits, family)
  return (text) => {
    const version = isIP(text)
    return version !== 0 && list.check(text, version === 6 ? 'ipv6' : 'ipv4')
  }
}
