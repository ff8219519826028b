/**
 * The bytes of a response; undefined if it is larger than `maxBytes`, and then it is not read further. Rejects if the
 * body breaks off.
 */
export async function readBoundedBody(
  response: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    // Leaving the loop cancels the body, and with it the connection.
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  // Not bytes(), which the first versions of Node 20 lack.
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}
