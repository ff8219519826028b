/**
 * Headers of every response outside the API (contract decisions section 8): CSP allows only the named origins, no
 * inline code and no framing. Names and values alternate.
 */
export function securityHeaders(
  foreignOrigins: readonly string[] = [],
  /** Origins that scripts may ask beside their own. */
  askedOrigins: readonly string[] = [],
): readonly string[] {
  const sources = ["'self'", ...foreignOrigins].join(' ')
  const policy = [
    "default-src 'none'",
    `script-src ${sources}`,
    `style-src ${sources}`,
    "img-src 'self'",
    `connect-src ${[sources, ...askedOrigins].join(' ')}`,
    "worker-src 'self'",
    ...(foreignOrigins.length === 0 ? [] : [`frame-src ${foreignOrigins.join(' ')}`]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return [
    'Content-Security-Policy',
    policy.join('; '),
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'strict-origin-when-cross-origin',
    'Cross-Origin-Opener-Policy',
    'same-origin',
    'Permissions-Policy',
    'camera=(), geolocation=(), microphone=()',
  ]
}
