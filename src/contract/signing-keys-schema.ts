import { LIMITS } from './limits.ts'
import { list, text, textList, timestamp, whole } from './response-fields.ts'
import type { JsonSchema } from './schema-type.ts'

const publicKey = {
  type: 'object',
  title: 'SigningKey',
  description: 'One public key.',
  required: ['keyId', 'status', 'jwk', 'publicKeyPem', 'notBefore', 'notAfter'],
  properties: {
    keyId: text('RFC 7638 thumbprint of the key.', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
    status: {
      type: 'string',
      enum: ['current', 'next', 'retired'],
      description: 'Whether the key signs now, will sign, or has signed before.',
      example: 'current',
    },
    jwk: {
      type: 'object',
      title: 'JsonWebKey',
      description: 'The key as a JSON Web Key (RFC 8037; alg as in RFC 9864).',
      required: ['kty', 'crv', 'x', 'alg', 'use', 'kid'],
      properties: {
        kty: text('Key type.', 'OKP'),
        crv: text('Curve.', 'Ed25519'),
        x: text('The public key, base64url.', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'),
        alg: text('Algorithm.', 'Ed25519'),
        use: text('What it is for.', 'sig'),
        kid: text('The key id.', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
      },
    },
    publicKeyPem: text(
      'The key as PEM (SubjectPublicKeyInfo), for openssl.',
      '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA…\n-----END PUBLIC KEY-----\n',
    ),
    notBefore: {
      ...timestamp('Start of its signing period; null if not stated.'),
      nullable: true,
    },
    notAfter: { ...timestamp('End of its signing period; null if not stated.'), nullable: true },
  },
} as const

/** `data` of the signing-key document (contract decisions section 6). */
export const SIGNING_KEYS_SCHEMA = {
  type: 'object',
  description:
    'The public keys that verify response signatures, and the format of the signed texts.',
  required: [
    'keyId',
    'algorithm',
    'keys',
    'signedText',
    'revalidationText',
    'headers',
    'maxAgeSeconds',
  ],
  properties: {
    keyId: text('ID of the current signing key.', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
    algorithm: {
      type: 'string',
      enum: ['Ed25519'],
      description: 'Signature algorithm.',
      example: 'Ed25519',
    },
    keys: list('Every published key, the current one first.', publicKey),
    signedText: textList(
      'Lines of a response’s signed text, joined by newlines. Parts in braces are placeholders.',
      'svc-response-v1',
    ),
    revalidationText: textList(
      'Lines of a 304’s signed text, joined by newlines. Parts in braces are placeholders.',
      'svc-revalidation-v1',
    ),
    headers: {
      type: 'object',
      description: 'Headers that carry the proof.',
      required: ['contentDigest', 'signedAt', 'signature', 'revalidated'],
      properties: {
        contentDigest: text('Digest of the body (RFC 9530).', 'Content-Digest'),
        signedAt: text('When it was signed.', 'X-SVC-Signed-At'),
        signature: text('The signature, base64.', 'X-SVC-Signature'),
        revalidated: text('Time and signature of a 304.', 'X-SVC-Revalidated'),
      },
    },
    maxAgeSeconds: whole(
      'Age at which a verifier refuses a signature, in seconds.',
      LIMITS.signatureMaxAgeSeconds,
    ),
  },
} as const satisfies JsonSchema
