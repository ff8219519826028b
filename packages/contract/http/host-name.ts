const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i

/**
 * Whether a text is a host name and not an address: labels of letters, digits and inner hyphens (RFC 1123 2.1) of at
 * most 63 characters, 253 in total, with an optional trailing dot. Underscores are accepted: no standard allows them,
 * but many networks use them.
 */
export function isHostName(text: string): boolean {
  const name = text.replace(/\.$/, '')
  // A last label of digits is an address or a typo, never a name (URL Standard, "ends in a number").
  if (name.length > 253 || /(?:^|\.)\d+$/.test(name)) return false
  return name.split('.').every((label) => LABEL.test(label))
}

/** Whether a host is this machine, in the form of `URL.hostname`, which normalizes IPv4 addresses. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}
