/** Loopback names that a browser may use. */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

function authorityOf(address: string): URL | undefined {
  const url = URL.parse(address)
  return url !== null && LOOPBACK_HOSTS.has(url.hostname) ? url : undefined
}

/**
 * Creates a check whether a Host field is another loopback name of the origin, with the same port. For browsers,
 * `localhost` and `127.0.0.1` are two origins, and a form sent from one to the other would be rejected. An origin
 * outside this machine has no other names.
 */
export function nonCanonicalHost(origin: string): (host: string | undefined) => boolean {
  const own = authorityOf(origin)
  if (own?.protocol !== 'http:') return () => false
  return (host) => {
    if (host === undefined || host === own.host) return false
    return authorityOf(`http://${host}`)?.port === own.port
  }
}
