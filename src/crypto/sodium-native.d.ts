/** The functions of sodium-native that this project uses. The package has no types. */
declare module 'sodium-native' {
  interface Sodium {
    crypto_sign_seed_keypair(publicKey: Buffer, secretKey: Buffer, seed: Buffer): void
    crypto_sign_detached(signature: Buffer, message: Buffer, secretKey: Buffer): void
  }
  const sodium: Sodium
  export { type Sodium }
  export default sodium
}
