/** The node:http options that the service uses for speed, given to every peer. */
export const SERVER_OPTIONS = { noDelay: true, optimizeEmptyRequests: true }

/** Prints where this server listens, in the format of the service's log. */
export function printUrl(port: number): void {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
}
