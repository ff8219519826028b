// Exits with 0 while the service is ready, and with 1 and the reason otherwise.
const { SVC_ADMIN_PORT = '9464' } = process.env
const response = await fetch(`http://127.0.0.1:${SVC_ADMIN_PORT}/readyz`)
if (!response.ok) {
  process.stderr.write(`${response.status} ${await response.text()}\n`)
  process.exitCode = 1
}
