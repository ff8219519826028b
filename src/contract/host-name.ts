const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i

/**
 * Whether a text is the name of a host, and no address: labels of letters, digits and inner hyphens (RFC 1123 2.1) of 63
 * characters at most, 253 together, with or without a dot behind them. Underscores are in no rule and in many networks.
 */
export function isHostName(text: string): boolean {
  const name = text.replace(/\.$/, '')
  // A last label of digits alone is an address or a slip of the pen, never a name (URL Standard, "ends in a number").
  if (name.length > 253 || /(?:^|\.)\d+$/.test(name)) return false
  return name.split('.').every((label) => LABEL.test(label))
}

/** Whether a host is this machine, as `URL.hostname` writes it: that has made one of every way to write an IPv4 address. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}
