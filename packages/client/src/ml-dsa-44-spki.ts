/** SubjectPublicKeyInfo of ML-DSA-44 (RFC 9881 section 4) up to the key, which has 1,312 bytes. */
const START = [
  0x30, 0x82, 0x05, 0x32, 0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03,
  0x11, 0x03, 0x82, 0x05, 0x21, 0x00,
]

/** The public key in the form that every platform with ML-DSA-44 reads. */
export function mlDsa44Spki(publicKey: Uint8Array): Uint8Array {
  const spki = new Uint8Array(START.length + publicKey.length)
  spki.set(START)
  spki.set(publicKey, START.length)
  return spki
}
