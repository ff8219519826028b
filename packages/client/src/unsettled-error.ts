/**
 * There was a newer version each time that an audit had read the history; nothing is wrong, and nothing is known.
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
