/** A response as text; undefined if it is not UTF-8 or larger than `maxBytes`, and then it is not read further. */
export async function readBoundedText(
  response: Response,
  maxBytes: number,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    // Leaving the loop cancels the body, and with it the connection.
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    return undefined
  }
}
