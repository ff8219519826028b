/** What the service asks of node:http for speed, so that no peer goes without it. */
export const SERVER_OPTIONS = { noDelay: true, optimizeEmptyRequests: true }

/** Tells where this server listens, as the service's log does. */
export function tellUrl(port: number): void {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
}
