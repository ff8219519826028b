// WebCrypto implementations follow different readings of RFC 8032: some accept public keys of small order, points whose
// y is not reduced, or an S that is not reduced. These cases are rejected here first, so that Node and every browser
// agree. They already agree on the remaining choices: no cofactor in the equation, and R compared as bytes.

/** 2^255 - 19, the prime of the field. */
const P = 2n ** 255n - 19n
/** The order of the group that the base point generates. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n
/** y of two points of order 8. The y of the other two is P minus this. A test derives it from the curve. */
const ORDER_8_Y = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n
/** y of all eight points whose order divides the cofactor: orders 4, 1, 2 and 8. */
const SMALL_ORDER_Y: ReadonlySet<bigint> = new Set([0n, 1n, P - 1n, ORDER_8_Y, P - ORDER_8_Y])

/** 32 bytes, least significant first, as a number. */
function littleEndian(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 32)
  let number = 0n
  for (let at = 24; at >= 0; at -= 8) number = (number << 64n) | view.getBigUint64(at, true)
  return number
}

/** Whether 32 bytes encode a y below the prime, of a point that is not of small order (RFC 8032 5.1.3). */
export function isCanonicalPoint(bytes: Uint8Array): boolean {
  const y = BigInt.asUintN(255, littleEndian(bytes))
  return y < P && !SMALL_ORDER_Y.has(y)
}

/** Whether 64 bytes are a signature that every implementation accepts: a canonical R, and S below the group order. */
export function isCanonicalSignature(bytes: Uint8Array): boolean {
  return isCanonicalPoint(bytes) && littleEndian(bytes.subarray(32)) < L
}
