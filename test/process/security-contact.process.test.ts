import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDeployment } from '../support/deployment.ts'
import { startService } from '../support/service-process.ts'

test('security.txt contains the configured contact and expires within a year', async (t) => {
  const contact = 'mailto:security@example.test'
  const env = { SVC_SECURITY_CONTACT: contact }
  const { origin } = await startService(t, makeDeployment(t).folder, env).serving()
  const response = await fetch(`${origin}/.well-known/security.txt`)
  assert.equal(response.status, 200)
  const text = await response.text()
  assert.ok(text.startsWith(`Contact: ${contact}\n`))
  const [, expires = ''] = /^Expires: (\S+)$/m.exec(text) ?? []
  const leftDays = (Date.parse(expires) - Date.now()) / 86_400_000
  assert.ok(leftDays > 0 && leftDays < 365, expires)
})
