/** A permanent `tag:` URI (RFC 4151). It needs a host without port, and a day on which the host was in use. */
export function tagUri(origin: string, instant: string, name: string): string {
  return `tag:${new URL(origin).hostname},${instant.slice(0, 10)}:${name}`
}
