import { BlockList, isIPv4, isIPv6 } from 'node:net'
import type { LeakMatch } from '../rules/search-text.ts'

const NON_PUBLIC = new BlockList()
for (const subnet of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
]) {
  const [network = '', prefix] = subnet.split('/')
  NON_PUBLIC.addSubnet(network, Number(prefix), isIPv4(network) ? 'ipv4' : 'ipv6')
}

function isNonPublic(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  if (isIPv4(bare)) return NON_PUBLIC.check(bare, 'ipv4')
  return isIPv6(bare) && NON_PUBLIC.check(bare, 'ipv6')
}

/** The host of an address as a browser reads it: `2130706433`, `0x7f.1` and `0177.0.0.1` are all 127.0.0.1. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : ''
}

/** What is numbered with periods, and several such numbers after it: `v10.0.0.1`, `sections 10.1.2.3 and 10.1.2.4`. */
const NUMBERING =
  /(?:^|[^a-z])(?:v|versions?|releases?|sections?|sect?\.|chapters?|clauses?|paragraphs?|articles?|appendix|annex|tables?|figures?|fig\.|§{1,2})[ =:]{0,3}(?:\d{1,3}(?:\.\d{1,3}){3}(?:, ?| and | or | to | ?[-–] ?)){0,4}$/i

/** Whether the text before an address marks it as such a number. */
function isNumbering(text: string, index: number): boolean {
  return NUMBERING.test(text.slice(Math.max(0, index - 100), index))
}

/** Private, loopback and link-local addresses in every notation. */
export function findNonPublicAddresses(text: string): readonly LeakMatch[] {
  const found = [
    ...text
      .matchAll(/(?<![\d.])\d{1,3}(?:(?:\.\d{1,3}){3}|(?: \. ?\d{1,3}){3})(?!\.?\d)/g)
      .filter(({ 0: spaced, index }) => {
        return isNonPublic(spaced.replaceAll(' ', '')) && !isNumbering(text, index)
      }),
    // Numbers with periods may be an enumeration, but not these.
    ...text.matchAll(/(?<![\d.])(?:192\. 168|169\. 254|127\. 0)(?:\. \d{1,3}){2}(?!\.?\d)/g),
    ...text
      .matchAll(/(?<![\w:])[0-9a-f:]{2,39}(?![\w:])/gi)
      .filter(([address]) => isNonPublic(address)),
    // A whole number is an address only with a port, or in a URL.
    ...text
      .matchAll(/(?<![\w.,])\d{8,10}(?=:\d{2,5}(?![\w:]))/g)
      .filter(([address]) => isNonPublic(hostOf(`http://${address}/`))),
    // One to four parts, at least one of them in hexadecimal or, of four, in octal.
    ...text
      .matchAll(
        /(?<![\w.])(?:0x[0-9a-f]{8}|(?:0x[0-9a-f]{1,2}|\d{1,4})(?:\.(?:0x[0-9a-f]{1,2}|\d{1,4})){3})(?!\.?\w)/gi,
      )
      .filter(([address]) => {
        const isRewritten = /(?:^|\.)0[x\d]/i.test(address) && !isIPv4(address)
        return isRewritten && isNonPublic(hostOf(`http://${address}/`))
      }),
  ]
  const foundAt = new Set(found.map(({ index }) => index))
  // In a URL even a bare integer or a short form is an address.
  const urls = text.matchAll(/\b(?:https?|wss?|ftp):\/\/[\w.[\]:]{1,60}/gi)
  const inUrls = urls.filter(({ 0: url, index }) => {
    const host = index + url.indexOf('://') + '://'.length
    return isNonPublic(hostOf(url)) && !foundAt.has(host) && !foundAt.has(host + '['.length)
  })
  return [...found, ...inUrls]
}
