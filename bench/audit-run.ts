import { auditHistory } from '../packages/client/src/audit-history.ts'
import { createClient } from '../packages/client/src/client.ts'
import type { AuditRun } from './verification-report.ts'

// One first audit of a service. Argument: the origin.

const [baseUrl = ''] = process.argv.slice(2)
const client = createClient({ baseUrl })
const beganMs = performance.now()
const before = process.cpuUsage()
const { versionsRead } = await auditHistory({ client })
const { user, system } = process.cpuUsage(before)
const run: AuditRun = {
  versions: versionsRead,
  seconds: (performance.now() - beganMs) / 1000,
  cpuSeconds: (user + system) / 1e6,
}
process.stdout.write(`${JSON.stringify(run)}\n`)
