import { realpathSync } from 'node:fs'
import { isIP, isIPv6 } from 'node:net'
import path from 'node:path'
import { isHostName, isLoopbackHost } from '@public-api/contract/http/host-name'
import type { Runtime } from '@public-api/contract/registry/endpoints'
import { CHALLENGE_PROVIDERS } from '@public-api/contract/waitlist/registration-schema'
import { parseDatabaseUrl } from './database-url.ts'
import {
  createEnvironmentReader,
  type Environment,
  type EnvironmentReader,
} from './environment-reader.ts'
import type { ChallengeSettings } from './service/challenge/create-challenge.ts'
import { parseNtpServer } from './service/time/ntp-server.ts'
import { parseAddressRange, type AddressRange } from './service/waitlist/address-range.ts'
import type { DatabaseLocation } from './storage/stores/storage.ts'

/** Levels of the log, most to least. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/**
 * Each secret is read from the variable with this name or from the file in the secrets folder. A production runtime does not
 * start without those that have a `purpose`. The content of a file that `isPublic` is not secret.
 */
export const SECRET_VARIABLES = {
  signingKey: { variable: 'SVC_SIGNING_KEY', file: 'signing-key.pem' },
  signingKeys: { variable: 'SVC_SIGNING_KEYS', file: 'signing-keys.json', isPublic: true },
  keyHashSecret: {
    variable: 'SVC_API_KEY_HASH_SECRET',
    file: 'key-hash-secret.txt',
    purpose: 'the secret that hashes API keys',
  },
  previousKeyHashSecrets: {
    variable: 'SVC_API_KEY_HASH_SECRET_PREVIOUS',
    file: 'key-hash-secret-previous.txt',
  },
  addressHashSecret: {
    variable: 'SVC_ADDRESS_HASH_SECRET',
    file: 'address-hash-secret.txt',
    purpose: 'the secret that hashes waitlist addresses',
  },
  waitlistRecipient: {
    variable: 'SVC_WAITLIST_RECIPIENT',
    file: 'waitlist-recipient.txt',
    purpose: 'the age recipient that waitlist rows are encrypted to',
    isPublic: true,
  },
} as const

/** File for the private key that `svc signing-key new` creates. The server signs with it once it is promoted. */
export const NEXT_SIGNING_KEY_FILE = 'signing-key-next.pem'

export type SecretName = keyof typeof SECRET_VARIABLES

/** Texts of secrets by their name. */
export type SecretTexts = { readonly [Name in SecretName]?: string | undefined }

/** The file of the identity that the local runtime generates. It has no variable, because the server never needs it. */
export const WAITLIST_IDENTITY_FILE = 'waitlist-identity.txt'

/** The configuration of one deployment, checked. Folders and files are absolute paths. */
export type Config = Readonly<ReturnType<typeof inspectConfig>['config']>

const renamed = (name: string) => `the new name, ${name}`
const NOT_COUNTED_APART = 'no value: nodes with one PostgreSQL (SVC_DATABASE_URL) count there'

/** Variables of former versions, refused with what to do: a setting that is silently ignored is worse. */
export const FORMER_VARIABLES: { readonly [former: string]: string } = {
  SVC_LOG_KEY: renamed('SVC_TLOG_KEY'),
  SVC_KEY_HASH_SECRET: renamed('SVC_API_KEY_HASH_SECRET'),
  SVC_KEY_HASH_SECRET_PREVIOUS: renamed('SVC_API_KEY_HASH_SECRET_PREVIOUS'),
  SVC_CACHE_SECONDS: renamed('SVC_REUSE_SECONDS'),
  SVC_RELOAD_SECONDS: renamed('SVC_RELEASE_POLL_SECONDS'),
  SVC_VALKEY_URL: NOT_COUNTED_APART,
  SVC_LIMIT_NODES: NOT_COUNTED_APART,
  SVC_NODES: NOT_COUNTED_APART,
}

/** Where hosted challenges are verified by default. */
const VERIFY_URLS = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
}

function readBaseUrl(reader: EnvironmentReader): string | undefined {
  const url = reader.url('SVC_BASE_URL', ['http:', 'https:'])
  if (url === undefined) return undefined
  const { origin, pathname, search, hash, username, password } = url
  if (pathname === '/' && `${search}${hash}${username}${password}` === '') return origin
  const expected = 'an origin: scheme and host, with a port where needed, and neither path nor user'
  return reader.reportInvalid('SVC_BASE_URL', expected)
}

function readDatabase(
  reader: EnvironmentReader,
  dataDir: string,
  workingDir: string,
): DatabaseLocation {
  const name = 'SVC_DATABASE_URL'
  const embedded = { kind: 'sqlite', file: path.join(dataDir, 'service.sqlite') } as const
  const url = reader.text(name)
  if (url === undefined) return embedded
  const refuse = (expected: string) => {
    reader.reportInvalid(name, expected, true)
    return embedded
  }
  if (/^postgres(?:ql)?:/i.test(url)) {
    const parsed = parseDatabaseUrl(url, (variable) => reader.text(variable) !== undefined)
    return 'url' in parsed ? { kind: 'postgres', url: parsed.url } : refuse(parsed.expected)
  }
  const [scheme = '', file = ''] = /^sqlite:(.*)$/is.exec(url) ?? []
  if (scheme === '') return refuse('a URL that starts with sqlite: or postgres://')
  if (/^\/\/[^/]/.test(file)) {
    return refuse('a file after sqlite:, such as sqlite:/srv/data/service.sqlite')
  }
  // The file name is used as written: it is not a URL and may contain % or #.
  return file === '' ? embedded : { kind: 'sqlite', file: path.resolve(workingDir, file) }
}

function readVerifyUrl(reader: EnvironmentReader, runtime: Runtime): string | undefined {
  const name = 'SVC_CHALLENGE_VERIFY_URL'
  const url = reader.url(name, ['https:', 'http:'])
  if (url === undefined) return undefined
  if (url.username !== '' || url.password !== '') {
    return reader.reportInvalid(name, 'a URL without user and password')
  }
  if (url.protocol === 'http:' && runtime === 'production' && !isLoopbackHost(url.hostname)) {
    // The secret key of the challenge is sent there.
    return reader.reportInvalid(name, 'https:// in production, or http:// on this machine')
  }
  return url.href
}

function readChallenge(reader: EnvironmentReader, runtime: Runtime): ChallengeSettings {
  const provider = reader.oneOf('SVC_CHALLENGE', CHALLENGE_PROVIDERS) ?? 'altcha'
  const siteKey = reader.text('SVC_CHALLENGE_SITE_KEY')
  const secret = reader.text('SVC_CHALLENGE_SECRET')
  const verifyUrl = readVerifyUrl(reader, runtime)
  if (provider === 'test' && runtime === 'production') {
    reader.reportInvalid(
      'SVC_CHALLENGE',
      'a real challenge in production (altcha, turnstile or hcaptcha)',
    )
  }
  if (provider === 'altcha' || provider === 'test') return { provider }
  if (siteKey === undefined)
    reader.reportInvalid('SVC_CHALLENGE_SITE_KEY', `the site key of ${provider}`)
  if (secret === undefined)
    reader.reportInvalid('SVC_CHALLENGE_SECRET', `the secret key of ${provider}`)
  if (siteKey === undefined || secret === undefined) return { provider: 'altcha' }
  return { provider, siteKey, secret, verifyUrl: verifyUrl ?? VERIFY_URLS[provider] }
}

function parseAddressRanges(text: string): readonly AddressRange[] | undefined {
  const ranges = text.split(',').map((each) => parseAddressRange(each.trim()))
  return ranges.every((each) => each !== undefined) ? ranges : undefined
}

/** Characters of a URI (RFC 3986 2): no space and no line break, which would begin another field of security.txt. */
const URI_CHARACTERS = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/

/** A mailto: with an address (RFC 6068) or a tel: with a number (RFC 3966). */
const DIRECT_CONTACT = /^(?:mailto:[^@?]+@[^@?]+(?:\?.*)?|tel:\+?[\d().-]*\d[\d().-]*(?:;.*)?)$/

function isContact(text: string): boolean {
  const url = URL.parse(text)
  const isWeb = url?.protocol === 'https:' && text.startsWith('https://')
  const isPublic = url?.username === '' && url.password === ''
  return URI_CHARACTERS.test(text) && ((isWeb && isPublic) || DIRECT_CONTACT.test(text))
}

/** The real path of a folder, with links resolved as far as it exists. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    const parent = path.dirname(folder)
    return parent === folder ? folder : path.join(realFolder(parent), path.basename(folder))
  }
}

function isInside(folder: string, parent: string): boolean {
  const relative = path.relative(realFolder(parent), realFolder(folder))
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}

/**
 * Reads the configuration from the environment, with every mistake; an invalid variable gets its default. Opens and
 * creates nothing. Relative folders are resolved from `workingDir`.
 */
export function inspectConfig(env: Environment, workingDir: string) {
  const reader = createEnvironmentReader(env)
  reader.refuseFormer(FORMER_VARIABLES)
  reader.refuseExported('SVC_')
  const folder = (name: string, otherwise: string) =>
    path.resolve(workingDir, reader.text(name) ?? otherwise)
  // Read by svc only. Named here, so that they are not reported as unknown.
  for (const name of ['SVC_TLOG_KEY', 'SVC_CONTENT_DIR', 'SVC_ENVIRONMENT_FILE']) reader.text(name)
  const keyFile = reader.text('SVC_TLOG_KEY_FILE')
  const runtime = reader.oneOf('SVC_RUNTIME', ['local', 'production']) ?? 'local'
  const dataDir = folder('SVC_DATA_DIR', 'data')
  const secretsDir = folder('SVC_SECRETS_DIR', 'secrets')
  if (isInside(secretsDir, dataDir)) {
    reader.reportInvalid(
      'SVC_SECRETS_DIR',
      `a folder that is not inside the data folder (${dataDir})`,
    )
  }
  const port = reader.integer('PORT', 0, 65_535) ?? 8080
  const adminPort = reader.integer('SVC_ADMIN_PORT', 0, 65_535)
  if (adminPort !== undefined && adminPort !== 0 && adminPort === port) {
    reader.reportInvalid('SVC_ADMIN_PORT', 'a port other than PORT')
  }
  const config = {
    host:
      reader.parsed('HOST', 'an IP address or a host name', (host) =>
        isIP(host) !== 0 || isHostName(host) ? host : undefined,
      ) ?? '127.0.0.1',
    /** 0 lets the system pick a free port. */
    port,
    /** Own origin without a trailing slash; undefined when it follows from host and port. */
    baseUrl: readBaseUrl(reader),
    runtime,
    deployment: reader.oneOf('SVC_DEPLOYMENT', ['primary', 'preview']) ?? 'primary',
    releasesDir: folder('SVC_RELEASES_DIR', 'releases'),
    dataDir,
    secretsDir,
    /** The key of the transparency log, which publishers share. Read by svc only. */
    tlogKeyFile: keyFile === undefined ? undefined : path.resolve(workingDir, keyFile),
    database: readDatabase(reader, dataDir, workingDir),
    challenge: readChallenge(reader, runtime),
    trustedProxies:
      reader.parsed(
        'SVC_TRUSTED_PROXIES',
        'IP addresses or ranges such as 10.0.0.0/8, separated by commas',
        parseAddressRanges,
      ) ?? [],
    workers: reader.integer('SVC_WORKERS', 1, 256) ?? 1,
    /** Of one process. */
    maxConnections: reader.integer('SVC_MAX_CONNECTIONS', 1, 1_000_000) ?? 10_000,
    /** How long a signed response may be reused; 0: never. */
    cacheSeconds: reader.integer('SVC_REUSE_SECONDS', 0, 60) ?? 0,
    adminPort,
    /** How often to check for a new release; 0: only on SIGHUP. */
    reloadSeconds: reader.integer('SVC_RELEASE_POLL_SECONDS', 0, 86_400) ?? 5,
    ntpServer: reader.parsed(
      'SVC_NTP_SERVER',
      'a host, or host:port, with an IPv6 address in brackets',
      parseNtpServer,
    ),
    /** URI for reports of security problems, as written; for security.txt and the privacy page. */
    securityContact: reader.parsed(
      'SVC_SECURITY_CONTACT',
      'a URI that starts with https://, mailto: or tel:',
      (contact) => (isContact(contact) ? contact : undefined),
    ),
    logLevel: reader.oneOf('SVC_LOG_LEVEL', LOG_LEVELS) ?? 'info',
    /** Undefined: text on a terminal, json elsewhere. */
    logFormat: reader.oneOf('SVC_LOG_FORMAT', ['text', 'json']),
    /** Device and inode of the journal, if systemd connected the service to it. */
    journalStream: reader.text('JOURNAL_STREAM'),
    secretVariables: Object.fromEntries(
      Object.entries(SECRET_VARIABLES).flatMap(([name, { variable }]) => {
        const value = reader.text(variable)
        return value === undefined ? [] : [[name, value]]
      }),
    ) as SecretTexts,
    /** Unknown variables with the prefix of this service, probably misspelled. Read last, after every known one. */
    unknownVariables: reader.unreadVariables('SVC_'),
  }
  return { config, mistakes: reader.mistakes }
}

/** The origin of a listener in the browsers' form, if `SVC_BASE_URL` is not set. */
export function originOf(host: string, port: number): string {
  return new URL(`http://${isIPv6(host) ? `[${host}]` : host}:${port}`).origin
}
