import { execFileSync } from 'node:child_process'
import path from 'node:path'

/** Files in PEM. */
export interface Certificate {
  readonly certificate: string
  readonly key: string
}

/** A certificate for localhost, signed by itself. */
export function createCertificate(folder: string): Certificate {
  const certificate = path.join(folder, 'certificate.pem')
  const key = path.join(folder, 'key.pem')
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const files = ['-keyout', key, '-out', certificate]
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, ...files], { stdio: 'ignore' })
  return { certificate, key }
}
