/**
 * A version was published during each attempt of an audit, so the history was neither confirmed nor contradicted.
 *
 * @example
 * ```ts
 * if (error instanceof UnsettledError) console.error('Versions are being published; try again later.')
 * ```
 */
export class UnsettledError extends Error {
  constructor(rounds: number) {
    super(`the newest version was another one after each of ${rounds} rounds`)
    this.name = 'UnsettledError'
  }
}
