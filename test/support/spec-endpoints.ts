/**
 * The endpoints of spec section 4 and contract decisions section 1, written by hand so that a mistake in the tables is
 * not repeated here. Each row: method, path, stability, status, cache class and authentication, separated by one space.
 */
export const SPEC_ENDPOINTS: readonly string[] = `
GET    /api/v1                        stable active  static-snapshot none
GET    /api/v1/status                 stable active  static-snapshot none
GET    /api/v1/time                   stable active  short-lived     none
GET    /api/v1/architecture           stable active  static-snapshot none
GET    /api/v1/development-queue      stable active  static-snapshot none
GET    /api/v1/roadmap                stable active  static-snapshot none
GET    /api/v1/early-access           stable active  short-lived     none
POST   /api/v1/early-access/register  stable active  none            none
GET    /api/v1/wallet                 beta   active  static-snapshot none
GET    /api/v1/wallet/architecture    beta   active  static-snapshot none
GET    /api/v1/wallet/security        beta   active  static-snapshot none
GET    /api/v1/wallet/evidence        beta   active  static-snapshot none
GET    /api/v1/wallet/capabilities    beta   active  static-snapshot none
GET    /api/v1/wallet/integration     beta   active  static-snapshot none
GET    /api/v1/wallet/development     beta   active  static-snapshot none
GET    /api/v1/policy                 stable active  static-snapshot none
GET    /api/v1/openapi.json           stable active  static-snapshot none
GET    /api/v1/changelog              stable active  static-snapshot none
GET    /api/v1/version                stable active  static-snapshot none
GET    /api/v1/versions               stable active  static-snapshot none
GET    /api/v1/versions/{snapshotId}  stable active  static-snapshot none
POST   /api/v1/keys                   beta   active  none            none
GET    /api/v1/keys/self              beta   active  none            api-key
DELETE /api/v1/keys/self              beta   active  none            api-key
GET    /api/v1/keys/signing-key       beta   active  static-snapshot none
GET    /api/v1/preview/{path}         beta   preview short-lived     none
`
  .trim()
  .split('\n')
  .map((line) => line.split(/\s+/).join(' '))
