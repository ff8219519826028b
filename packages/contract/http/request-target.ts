/** Splits a request target at the first `?`. The path is compared as received: nothing is decoded or resolved. */
export function pathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}
