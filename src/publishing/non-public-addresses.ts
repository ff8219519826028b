import { BlockList, isIPv4, isIPv6 } from 'node:net'

import { type LeakMatch, matchesOf } from './leak-match.ts'

const NON_PUBLIC = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  NON_PUBLIC.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  NON_PUBLIC.addSubnet(network, prefix, 'ipv6')
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

// Networks whose addresses are rarely other numbers: 172.16.0.0/12 and 192.168.0.0/16. Those of
// 10.0.0.0/8 look like any other number, so they are only found in a URL or in hexadecimal.
function isNonPublicInteger(digits: string): boolean {
  const number = Number(digits)
  return (
    number === 2_130_706_433 ||
    (number >= 2_886_729_728 && number <= 2_887_778_303) ||
    (number >= 3_232_235_520 && number <= 3_232_301_055)
  )
}

/** Whether the text before an address marks it as a version number, `version 10.0.0.1` or `v10.0.0.1`. */
function isVersionNumber(text: string, index: number): boolean {
  return /(?:^|[^a-z])(?:v|version|release)[ =:]{0,3}$/i.test(
    text.slice(Math.max(0, index - 12), index),
  )
}

/** Private, loopback and link-local addresses in every notation. */
export function findNonPublicAddresses(text: string): readonly LeakMatch[] {
  const found = [
    ...matchesOf(/(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g, text).filter(
      (match) => isNonPublic(match.text) && !isVersionNumber(text, match.index),
    ),
    ...matchesOf(/(?<![\w:])[0-9a-f:]{2,39}(?![\w:])/gi, text).filter((match) =>
      isNonPublic(match.text),
    ),
    ...matchesOf(/(?<![\w.])\d{10}(?![\w.]\w|\w)/g, text).filter((match) =>
      isNonPublicInteger(match.text),
    ),
    // One to four parts, at least one of them in hexadecimal or, of four, in octal.
    ...matchesOf(
      /(?<![\w.])(?:0x[0-9a-f]{8}|(?:0x[0-9a-f]{1,2}|\d{1,4})(?:\.(?:0x[0-9a-f]{1,2}|\d{1,4})){3})(?!\.?\w)/gi,
      text,
    ).filter(
      (match) =>
        /(?:^|\.)0[x\d]/i.test(match.text) &&
        !isIPv4(match.text) &&
        isNonPublic(hostOf(`http://${match.text}/`)),
    ),
  ]
  // In a URL even a bare integer or a short form is an address.
  const inUrls = matchesOf(/\b(?:https?|wss?|ftp):\/\/[\w.[\]:]{1,60}/gi, text).filter((match) =>
    isNonPublic(hostOf(match.text)),
  )
  const foundAt = new Set(found.map(({ index }) => index))
  return [
    ...found,
    ...inUrls.filter((url) => {
      const host = url.index + url.text.indexOf('://') + '://'.length
      return !foundAt.has(host) && !foundAt.has(host + '['.length)
    }),
  ]
}
