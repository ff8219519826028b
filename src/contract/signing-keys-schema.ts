import { enumField, list, named, record, text, textList, timestamp, whole } from './fields.ts'
import { LIMITS } from './limits.ts'

const publicKey = named('SigningKey', 'One public key.', {
  keyId: text('RFC 7638 thumbprint of the key.', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
  status: enumField(
    ['current', 'next', 'retired'],
    'current: signs now. next: will sign later. retired: no longer signs.',
    'current',
  ),
  jwk: named('JsonWebKey', 'The key as a JSON Web Key (RFC 8037; alg as in RFC 9864).', {
    kty: text('Key type.', 'OKP'),
    crv: text('Curve.', 'Ed25519'),
    x: text('The public key, base64url.', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'),
    alg: text('Algorithm.', 'Ed25519'),
    use: text('Purpose of the key: sig, for signatures.', 'sig'),
    kid: text('The key ID.', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
  }),
  publicKeyPem: text(
    'The key as PEM (SubjectPublicKeyInfo), for openssl.',
    '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA…\n-----END PUBLIC KEY-----\n',
  ),
  notBefore: {
    ...timestamp('Start of its signing period; null if not stated.'),
    nullable: true,
  },
  notAfter: {
    ...timestamp('End of its signing period; null if not stated.', 365),
    nullable: true,
  },
})

/** `data` of the signing-key document (contract decisions section 6). */
export const SIGNING_KEYS_SCHEMA = record(
  'The public keys that verify response signatures, and the format of the signed texts.',
  {
    keyId: text('ID of the current signing key.', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
    algorithm: enumField(['Ed25519'], 'Signature algorithm.', 'Ed25519'),
    keys: list('Every published key, the current one first.', publicKey),
    signedText: textList(
      'Lines of a response’s signed text, joined by newlines. Parts in braces are placeholders.',
      'svc-response-v1',
    ),
    revalidationText: textList(
      'Lines of a 304’s signed text, joined by newlines. Parts in braces are placeholders.',
      'svc-revalidation-v1',
    ),
    headers: record('Names of the response headers that carry the proof.', {
      contentDigest: text('Digest of the body (RFC 9530).', 'Content-Digest'),
      signedAt: text('Time of the signature.', 'X-SVC-Signed-At'),
      signature: text('The signature, base64.', 'X-SVC-Signature'),
      revalidated: text('Time and signature of a 304.', 'X-SVC-Revalidated'),
    }),
    maxAgeSeconds: whole(
      'Age at which a verifier refuses a signature, in seconds.',
      LIMITS.signatureMaxAgeSeconds,
    ),
  },
)
