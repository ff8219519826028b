/** The names that a browser on the same machine may have for it. */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

function authorityOf(address: string): URL | undefined {
  const url = URL.parse(address)
  return url !== null && LOOPBACK_HOSTS.has(url.hostname) ? url : undefined
}

/**
 * Tells whether a Host field is another name of this very machine and port than the origin has. Whoever runs the service
 * at home opens `localhost` as easily as `127.0.0.1`; to a browser they are two origins, and a form that was sent from the
 * one to the other would be refused. Of an origin that is not on this machine, nothing is another name.
 */
export function nonCanonicalHost(origin: string): (host: string | undefined) => boolean {
  const own = authorityOf(origin)
  if (own?.protocol !== 'http:') return () => false
  return (host) => {
    if (host === undefined || host === own.host) return false
    return authorityOf(`http://${host}`)?.port === own.port
  }
}
