import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { Client } from 'pg'
import { ConfigError } from '../src/config-mistake.ts'
import { LOG_LEVELS, originOf, SECRET_VARIABLES, type Config } from '../src/config.ts'
import type { Environment } from '../src/environment-reader.ts'
import { inspectConfigLines as inspectConfig } from './support/config-lines.ts'
import { proxies } from './support/proxies.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const WORKING_DIR = '/srv/service'

function read(env: Environment): Config {
  const { config, mistakes } = inspectConfig(env, WORKING_DIR)
  assert.deepEqual(mistakes, [])
  return config
}

test('an empty environment is a valid configuration', () => {
  assert.deepEqual(read({}), {
    host: '127.0.0.1',
    port: 8080,
    baseUrl: undefined,
    runtime: 'local',
    deployment: 'primary',
    releasesDir: '/srv/service/releases',
    dataDir: '/srv/service/data',
    secretsDir: '/srv/service/secrets',
    tlogKeyFile: undefined,
    database: { kind: 'sqlite', file: '/srv/service/data/service.sqlite' },
    challenge: { provider: 'altcha' },
    trustedProxies: [],
    workers: 1,
    adminPort: undefined,
    reloadSeconds: 5,
    maxConnections: 10_000,
    cacheSeconds: 0,
    ntpServer: undefined,
    securityContact: undefined,
    logLevel: 'info',
    journalStream: undefined,
    logFormat: undefined,
    secretVariables: {},
    unknownVariables: [],
  })
})

test('trims values and treats empty ones as unset', () => {
  assert.equal(read({ PORT: ' 9000\n' }).port, 9000)
  assert.deepEqual(read({ PORT: '', SVC_LOG_LEVEL: '  ', SVC_NTP_SERVER: '' }), read({}))
})

test('refuses a variable of a former version with what to do, without its value', () => {
  const former = {
    SVC_LOG_KEY: 'the new name, SVC_TLOG_KEY',
    SVC_KEY_HASH_SECRET: 'the new name, SVC_API_KEY_HASH_SECRET',
    SVC_KEY_HASH_SECRET_PREVIOUS: 'the new name, SVC_API_KEY_HASH_SECRET_PREVIOUS',
    SVC_CACHE_SECONDS: 'the new name, SVC_REUSE_SECONDS',
    SVC_RELOAD_SECONDS: 'the new name, SVC_RELEASE_POLL_SECONDS',
    SVC_VALKEY_URL: 'no value: nodes with one PostgreSQL (SVC_DATABASE_URL) count there',
    SVC_LIMIT_NODES: 'no value: nodes with one PostgreSQL (SVC_DATABASE_URL) count there',
    SVC_NODES: 'no value: nodes with one PostgreSQL (SVC_DATABASE_URL) count there',
  }
  const env = Object.fromEntries(Object.keys(former).map((name) => [name, '2']))
  const { config, mistakes } = inspectConfig(env, WORKING_DIR)
  assert.deepEqual(
    mistakes,
    Object.entries(former).map(([name, expected]) => `${name}: expected ${expected}`),
  )
  assert.deepEqual(config.unknownVariables, [])
})

/** Valid values of variables and how they are read. */
const GOOD: readonly (readonly [
  variable: string,
  value: string,
  pick: (config: Config) => unknown,
  expected: unknown,
])[] = [
  ['PORT', '0', ({ port }) => port, 0],
  ['PORT', '65535', ({ port }) => port, 65_535],
  ...['::', '::1', '0.0.0.0', '127.0.0.2', 'localhost', 'a', 'A-1.Example', 'a_b', 'a.'].map(
    (value) => ['HOST', value, ({ host }: Config) => host, value] as const,
  ),
  [
    'SVC_BASE_URL',
    'https://api.example.test',
    ({ baseUrl }) => baseUrl,
    'https://api.example.test',
  ],
  [
    'SVC_BASE_URL',
    'https://API.example.test:443/',
    ({ baseUrl }) => baseUrl,
    'https://api.example.test',
  ],
  ['SVC_BASE_URL', 'https://example.test/?#', ({ baseUrl }) => baseUrl, 'https://example.test'],
  ['SVC_BASE_URL', 'http://[::1]:8080', ({ baseUrl }) => baseUrl, 'http://[::1]:8080'],
  ['SVC_RUNTIME', 'production', ({ runtime }) => runtime, 'production'],
  ['SVC_DEPLOYMENT', 'preview', ({ deployment }) => deployment, 'preview'],
  ['SVC_RELEASE_POLL_SECONDS', '0', ({ reloadSeconds }) => reloadSeconds, 0],
  ['SVC_RELEASES_DIR', 'published', ({ releasesDir }) => releasesDir, '/srv/service/published'],
  ['SVC_DATA_DIR', '/var/lib/svc', ({ dataDir }) => dataDir, '/var/lib/svc'],
  [
    'SVC_DATA_DIR',
    '/var/lib/svc',
    ({ database }) => database,
    { kind: 'sqlite', file: '/var/lib/svc/service.sqlite' },
  ],
  ['SVC_SECRETS_DIR', '../keys', ({ secretsDir }) => secretsDir, '/srv/keys'],
  [
    'SVC_DATABASE_URL',
    'sqlite:',
    ({ database }) => database,
    { kind: 'sqlite', file: '/srv/service/data/service.sqlite' },
  ],
  [
    'SVC_DATABASE_URL',
    'sqlite:/var/x.sqlite',
    ({ database }) => database,
    { kind: 'sqlite', file: '/var/x.sqlite' },
  ],
  [
    'SVC_DATABASE_URL',
    'sqlite:data/100%.sqlite',
    ({ database }) => database,
    { kind: 'sqlite', file: '/srv/service/data/100%.sqlite' },
  ],
  ['SVC_CHALLENGE', 'test', ({ challenge }) => challenge.provider, 'test'],
  [
    'SVC_TRUSTED_PROXIES',
    '10.0.0.0/8, ::1,2001:db8::/32',
    ({ trustedProxies }) => trustedProxies,
    proxies('10.0.0.0/8', '::1', '2001:db8::/32'),
  ],
  ...['10.0.0.0/0', '10.0.0.0/32', '2001:db8::/128', '::/0'].map(
    (range) =>
      [
        'SVC_TRUSTED_PROXIES',
        range,
        ({ trustedProxies }: Config) => trustedProxies,
        proxies(range),
      ] as const,
  ),
  ['SVC_WORKERS', '256', ({ workers }) => workers, 256],
  ['SVC_ADMIN_PORT', '9464', ({ adminPort }) => adminPort, 9464],
  ['SVC_ADMIN_PORT', '0', ({ adminPort }) => adminPort, 0],
  [
    'SVC_NTP_SERVER',
    'time.example:123',
    ({ ntpServer }) => ntpServer,
    { host: 'time.example', port: 123, source: 'time.example:123' },
  ],
  [
    'SVC_NTP_SERVER',
    '[::1]',
    ({ ntpServer }) => ntpServer,
    { host: '::1', port: 123, source: '[::1]' },
  ],
  ...[
    'https://example.test/security?lang=en#form',
    'mailto:security@example.test',
    'mailto:a%2Bb@example.test?subject=Security',
    'tel:+1-201-555-0123',
    'tel:7042;phone-context=example.test',
    'mailto:a@b',
    'tel:1',
    'tel:+1',
    'tel:(0)',
    'tel:+1-201-555-0123;ext=1',
  ].map(
    (contact) =>
      [
        'SVC_SECURITY_CONTACT',
        contact,
        ({ securityContact }: Config) => securityContact,
        contact,
      ] as const,
  ),
  ...LOG_LEVELS.map(
    (level) => ['SVC_LOG_LEVEL', level, ({ logLevel }: Config) => logLevel, level] as const,
  ),
  ...Object.entries(SECRET_VARIABLES).map(
    ([name, { variable }]) =>
      [
        variable,
        'the secret',
        ({ secretVariables }: Config) => secretVariables,
        { [name]: 'the secret' },
      ] as const,
  ),
]

describe('valid values', () => {
  for (const [variable, value, pick, expected] of GOOD) {
    test(`${variable}=${value}`, () => {
      const config = read({ [variable]: value })
      assert.deepEqual(pick(config), expected)
      assert.deepEqual(config.unknownVariables, [])
    })
  }
})

/** Invalid values with the reported error. */
const BAD: readonly (readonly [variable: string, values: readonly string[], expected: string])[] = [
  [
    'PORT',
    ['-1', '65536', '80.5', '0x50', '1e3', 'http', '8080 8081'],
    'a whole number from 0 to 65535',
  ],
  [
    'HOST',
    ['a b', 'http://x', '[::1]', '-x', 'a..b', '1', 'a:1', '127.0.0.256', '1.2.3'],
    'an IP address or a host name',
  ],
  [
    'SVC_BASE_URL',
    ['example.test', 'ftp://example.test', '/api'],
    'a URL that starts with http:// or https://',
  ],
  [
    'SVC_BASE_URL',
    ['https://example.test/api', 'https://example.test/#x', 'https://example.test?a'],
    'an origin: scheme and host, with a port where needed, and neither path nor user',
  ],
  ['SVC_RUNTIME', ['Production', 'prod'], 'one of local, production'],
  ['SVC_DEPLOYMENT', ['staging'], 'one of primary, preview'],
  ['SVC_CHALLENGE', ['recaptcha', 'ALTCHA'], 'one of altcha, turnstile, hcaptcha, test'],
  [
    'SVC_CHALLENGE_VERIFY_URL',
    ['verify.example', 'file:///etc/passwd'],
    'a URL that starts with https:// or http://',
  ],
  [
    'SVC_TRUSTED_PROXIES',
    [
      'proxy.example',
      '10.0.0.0/33',
      '::1/129',
      '2001:db8::/129',
      '10.0.0.0/0x8',
      '10.0.0.0/8e0',
      '10.0.0.0/+8',
      '10.0.0.0/8.0',
      '10.0.0.0/255.0.0.0',
      '10.0.0.0 /8',
      '10.0.0.1,',
      '10.0.0.0/8/8',
      '10.0.0.0/',
      '10.0.0.1;10.0.0.2',
    ],
    'IP addresses or ranges such as 10.0.0.0/8, separated by commas',
  ],
  ['SVC_WORKERS', ['0', '257', 'auto'], 'a whole number from 1 to 256'],
  ['SVC_ADMIN_PORT', ['admin', '70000'], 'a whole number from 0 to 65535'],
  [
    'SVC_NTP_SERVER',
    ['::1', 'time.example:0', 'time.example:ntp', 'a b', 'ntp://time.example'],
    'a host, or host:port, with an IPv6 address in brackets',
  ],
  [
    'SVC_SECURITY_CONTACT',
    [
      'example.test',
      'http://example.test/security',
      'https:example.test',
      'https://',
      'HTTPS://exämple.test',
      'mailto:',
      'mailto:security',
      'tel:',
      'tel:security',
      'tel:+1 201 555 0123',
      'tel:+',
      'tel:;ext=1',
      'tel:+1x',
      'xtel:1',
      'https://example.test/\nExpires:',
    ],
    'a URI that starts with https://, mailto: or tel:',
  ],
  ['SVC_LOG_LEVEL', ['verbose', 'INFO'], 'one of trace, debug, info, warn, error, fatal, silent'],
]

describe('reports an invalid value with what was expected and found', () => {
  for (const [variable, values, expected] of BAD) {
    for (const value of values) {
      test(`${variable}=${value}`, () => {
        const { config, mistakes } = inspectConfig({ [variable]: value }, WORKING_DIR)
        assert.deepEqual(mistakes, [`${variable}: expected ${expected}, found "${value}"`])
        assert.equal(typeof config.port, 'number', 'the rest is read all the same')
      })
    }
  }
})

test('a PostgreSQL URL needs a host and a database', () => {
  for (const url of [
    'postgres://user:password@db.example:5432/app',
    'postgresql://db/app?sslmode=verify-full',
    'postgres:///app?host=/var/run/postgresql&port=5433',
    'postgres://%2Fvar%2Frun%2Fpostgresql/app',
    'postgres://u:p@db/app?sslmode=verify-full&sslrootcert=/a.pem&sslcert=/b.pem&sslkey=/c.pem',
  ]) {
    assert.deepEqual(read({ SVC_DATABASE_URL: url }).database, { kind: 'postgres', url })
  }
})

test('the driver gets a database URL whose escapes it reads in one way', () => {
  const { database } = read({
    SVC_DATABASE_URL: 'postgres://u:a b%2Fc%40@db/app?sslrootcert=/a b.pem',
  })
  assert.ok(database.kind === 'postgres')
  const [connectionString] = database.url.split('?')
  const client = new Client({ connectionString })
  const { user, password, host } = client
  assert.deepEqual([user, password, host, client.database], ['u', 'a b/c@', 'db', 'app'])
  assert.match(database.url, /sslrootcert=\/a%20b\.pem$/)
})

test('a database URL has only options that are read as they are written', () => {
  const only =
    'a URL with the options host, port, sslmode, sslrootcert, sslcert, sslkey only, found'
  for (const [query, expected] of [
    ...[
      'statement_timeout=5s',
      'SSLMODE=verify-full',
      'client_encoding=latin1',
      'channel_binding=require',
      'target_session_attrs=read-write',
      'connect_timeout=1',
      'service=x',
      'options=-c%20a=b',
      'password=x',
      'ssl=0',
    ].map((each) => [each, `${only} ${each.split('=')[0]}`] as const),
    ['a%20b=c', `${only} another one`],
    ['sslmode=disable&sslmode=verify-full', 'a URL with the option sslmode once'],
    ['sslmode=', /^a URL whose option sslmode is one of disable, no-verify, verify-full,/],
    ['sslmode=nonsense', /^a URL whose option sslmode is one of/],
    ['sslmode=Verify-Full', /^a URL whose option sslmode is one of/],
    ['port=pg', 'a URL whose option port is a number'],
    ['sslrootcert=', 'a URL whose option sslrootcert is a file'],
  ] as const) {
    const { mistakes } = inspectConfig(
      { SVC_DATABASE_URL: `postgres://u:p@db/app?${query}` },
      WORKING_DIR,
    )
    assert.equal(mistakes.length, 1, query)
    const [, found = ''] = /^SVC_DATABASE_URL: expected ([^]*)$/.exec(mistakes[0] ?? '') ?? []
    if (typeof expected === 'string') assert.equal(found, expected)
    else assert.match(found, expected)
  }
})

test('a variable of libpq that would change the connection is refused, others are not read', () => {
  const url = 'postgres://u:p@db/app'
  for (const [database, variable] of [
    ['postgres://db/app', 'PGUSER'],
    ['postgres://u@db/app', 'PGPASSWORD'],
    ['postgres://u@db/app', 'PGPASSFILE'],
    [url, 'PGPORT'],
    [url, 'PGSSLMODE'],
    [url, 'PGOPTIONS'],
  ] as const) {
    const env = { SVC_DATABASE_URL: database, [variable]: 'secret' }
    const { config, mistakes } = inspectConfig(env, WORKING_DIR)
    assert.deepEqual(mistakes, [
      `SVC_DATABASE_URL: expected a URL that alone describes the connection; the driver would also read ${variable}`,
    ])
    assert.equal(config.database.kind, 'sqlite')
  }
  const whole = `postgres://u:p@db:5432/app?sslmode=disable`
  const names = 'PGHOST PGDATABASE PGUSER PGPASSWORD PGPASSFILE PGPORT PGSSLMODE PGAPPNAME'
  const others = Object.fromEntries(names.split(' ').map((name) => [name, '1']))
  const { database } = read({ SVC_DATABASE_URL: whole, ...others })
  assert.deepEqual(database, { kind: 'postgres', url: whole })
})

test('a value in quotation marks, or a name behind export, is refused without its value', () => {
  for (const value of ['"HEX"', "'HEX'", '`HEX`', '"HEX', "HEX'"]) {
    const { mistakes } = inspectConfig(
      { SVC_ADDRESS_HASH_SECRET: value, SVC_DATA_DIR: value },
      WORKING_DIR,
    )
    const expected = 'expected a value that neither begins nor ends with a quotation mark'
    assert.deepEqual(mistakes, [
      `SVC_DATA_DIR: ${expected}`,
      `SVC_ADDRESS_HASH_SECRET: ${expected}`,
    ])
  }
  const { mistakes } = inspectConfig({ 'export SVC_WORKERS': '2', 'export X': '1' }, WORKING_DIR)
  assert.deepEqual(mistakes, ['export SVC_WORKERS: expected the name alone, SVC_WORKERS'])
})

test('an unusable database or counter store is refused without repeating its URL', () => {
  const assertRefused = (variable: string, values: readonly string[], expected: string) => {
    for (const value of values) {
      const { config, mistakes } = inspectConfig({ [variable]: value }, WORKING_DIR)
      assert.deepEqual(mistakes, [`${variable}: expected ${expected}`], value)
      const file = '/srv/service/data/service.sqlite'
      assert.deepEqual(config.database, { kind: 'sqlite', file })
    }
  }
  assertRefused(
    'SVC_DATABASE_URL',
    ['sqlite3', 'mysql://u:p@db/app', '/srv/service.sqlite', 'postgresq:'],
    'a URL that starts with sqlite: or postgres://',
  )
  assertRefused(
    'SVC_DATABASE_URL',
    [
      'postgres://u:p@db',
      'postgres://u:50%off@db/app',
      'postgres://u:p@db/',
      'postgres:///app',
      'POSTGRES:',
      'postgres://db/a/b',
      'postgres://u:p@db/app#x',
    ],
    'a percent-encoded URL with a host and a database, such as postgres://user:password@host:5432/database',
  )
  assertRefused(
    'SVC_DATABASE_URL',
    ['sqlite://db/service.sqlite', 'sqlite://u:p@db'],
    'a file after sqlite:, such as sqlite:/srv/data/service.sqlite',
  )
})

test('a URL that may contain a password is not quoted', () => {
  const cases = {
    SVC_DATABASE_URL: 'mysql://user:hunter2@db/app',
    SVC_BASE_URL: 'https://user:hunter2@example.test',
    SVC_CHALLENGE_VERIFY_URL: 'https://user:hunter2@verify.example/x',
    SVC_SECURITY_CONTACT: 'https://user:hunter2@example.test/security',
  }
  for (const [variable, value] of Object.entries(cases)) {
    const { mistakes } = inspectConfig({ [variable]: value }, WORKING_DIR)
    assert.equal(mistakes.length, 1, variable)
    assert.match(mistakes[0] ?? '', new RegExp(`^${variable}: expected `))
    assert.ok(!mistakes.join('').includes('hunter2'), variable)
  }
  const noUser = inspectConfig({ SVC_BASE_URL: 'https://:hunter2@example.test' }, WORKING_DIR)
  assert.equal(noUser.mistakes.length, 1, 'a password without a user is not part of an origin')
  for (const [variable, value] of [
    ['SVC_CHALLENGE_VERIFY_URL', 'https://hunter2@verify.example'],
    ['SVC_CHALLENGE_VERIFY_URL', 'https://:hunter2@'],
    ['SVC_CHALLENGE_VERIFY_URL', 'u:hunter2@host'],
    ['SVC_BASE_URL', 'https://hunter2@example.test'],
    // Any value with an @ may contain one.
    ...['HOST', 'SVC_NTP_SERVER', 'SVC_TRUSTED_PROXIES', 'SVC_RUNTIME'].map(
      (name) => [name, 'user:hunter2@[host'] as const,
    ),
    ...[
      'javascript:mailto:hunter2@example.test',
      'x-mailto:hunter2@example.test',
      'mailto:@hunter2.test',
      'mailto:hunter2@',
      'mailto:?to=hunter2@example.test',
      'mailto:hunter2@b@c',
    ].map((contact) => ['SVC_SECURITY_CONTACT', contact] as const),
  ] as const) {
    const { mistakes } = inspectConfig({ [variable]: value }, WORKING_DIR)
    assert.equal(mistakes.length, 1, value)
    assert.match(mistakes[0] ?? '', new RegExp(`^${variable}: expected `))
    assert.ok(!mistakes.join('').includes('hunter2'), value)
  }
  // The default folder for secrets, inside the data folder: a variable that is not set is not quoted.
  const { mistakes } = inspectConfig({ SVC_DATA_DIR: '.' }, WORKING_DIR)
  assert.match(mistakes.join(), /^SVC_SECRETS_DIR: expected a folder that is not inside [^"]*$/)
})

test('a hosted challenge needs its two keys; the verify address has a default for each', () => {
  for (const [provider, verifyUrl] of [
    ['turnstile', 'https://challenges.cloudflare.com/turnstile/v0/siteverify'],
    ['hcaptcha', 'https://api.hcaptcha.com/siteverify'],
  ] as const) {
    const { mistakes } = inspectConfig({ SVC_CHALLENGE: provider }, WORKING_DIR)
    assert.deepEqual(mistakes, [
      `SVC_CHALLENGE_SITE_KEY: expected the site key of ${provider}`,
      `SVC_CHALLENGE_SECRET: expected the secret key of ${provider}`,
    ])
    const env = {
      SVC_CHALLENGE: provider,
      SVC_CHALLENGE_SITE_KEY: 'site',
      SVC_CHALLENGE_SECRET: 'secret',
    }
    const challenge = { provider, siteKey: 'site', secret: 'secret', verifyUrl }
    assert.deepEqual(read(env).challenge, challenge)
    const own = read({ ...env, SVC_CHALLENGE_VERIFY_URL: 'https://verify.example/x' })
    assert.deepEqual(own.challenge, { ...challenge, verifyUrl: 'https://verify.example/x' })
  }
})

test('in production the secret of a hosted challenge is sent only over https', () => {
  const inspect = (verifyUrl: string, runtime: string) =>
    inspectConfig({ SVC_RUNTIME: runtime, SVC_CHALLENGE_VERIFY_URL: verifyUrl }, WORKING_DIR)
  for (const host of [
    'verify.example',
    '10.0.0.1',
    '128.0.0.1',
    '126.255.255.255',
    '0.0.0.0',
    '[::2]',
    '[::ffff:7f00:2]',
    'localhost.example',
    'notlocalhost',
    '127.0.0.1.example',
  ]) {
    const url = `http://${host}:8081/siteverify`
    const { mistakes } = inspect(url, 'production')
    const expected = `expected https:// in production, or http:// on this machine, found "${url}"`
    assert.deepEqual(mistakes, [`SVC_CHALLENGE_VERIFY_URL: ${expected}`])
    assert.deepEqual(inspect(url, 'local').mistakes, [])
    assert.deepEqual(inspect(url.replace('http:', 'https:'), 'production').mistakes, [])
  }
  const hosted = {
    SVC_RUNTIME: 'production',
    SVC_CHALLENGE: 'hcaptcha',
    SVC_CHALLENGE_SITE_KEY: 'site',
    SVC_CHALLENGE_SECRET: 'secret',
  }
  for (const [url, verifyUrl] of [
    ['http://127.0.0.1:8081/x', 'http://127.0.0.1:8081/x'],
    ['http://127.255.0.9/', 'http://127.255.0.9/'],
    ['http://127.1/', 'http://127.0.0.1/'],
    ['http://[::1]:8081/', 'http://[::1]:8081/'],
    ['http://LOCALHOST/x', 'http://localhost/x'],
  ] as const) {
    assert.deepEqual(read({ ...hosted, SVC_CHALLENGE_VERIFY_URL: url }).challenge, {
      provider: 'hcaptcha',
      siteKey: 'site',
      secret: 'secret',
      verifyUrl,
    })
  }
})

test('only the local runtime accepts the test challenge', () => {
  const { mistakes } = inspectConfig(
    { SVC_CHALLENGE: 'test', SVC_RUNTIME: 'production' },
    WORKING_DIR,
  )
  assert.equal(mistakes.length, 1)
  assert.match(mistakes[0] ?? '', /^SVC_CHALLENGE: expected a real challenge in production/)
})

test('the admin port differs from the public one, unless the system picks both', () => {
  const { mistakes } = inspectConfig({ PORT: '9000', SVC_ADMIN_PORT: '9000' }, WORKING_DIR)
  assert.deepEqual(mistakes, ['SVC_ADMIN_PORT: expected a port other than PORT, found "9000"'])
  assert.equal(read({ PORT: '0', SVC_ADMIN_PORT: '0' }).adminPort, 0)
})

test('the secrets folder must not be the data folder or inside it', (t) => {
  const isRefused = (secretsDir: string, dataDir = 'data', workingDir = WORKING_DIR) =>
    inspectConfig({ SVC_SECRETS_DIR: secretsDir, SVC_DATA_DIR: dataDir }, workingDir).mistakes.some(
      (mistake) => mistake.startsWith('SVC_SECRETS_DIR: expected a folder that is not inside'),
    )
  for (const inside of [
    'data',
    'data/',
    'data/secrets',
    './x/../data/a/b',
    '/srv/service/data/s',
    'data/..s',
  ]) {
    assert.ok(isRefused(inside), inside)
  }
  for (const outside of [
    'secrets',
    'data-secrets',
    '.',
    'data/../secrets',
    '/data/secrets',
    '..',
  ]) {
    assert.ok(!isRefused(outside), outside)
  }
  assert.ok(isRefused('secrets', '/'), 'everything is inside the root')

  const folder = temporaryFolder(t)
  mkdirSync(path.join(folder, 'data', 'kept'), { recursive: true })
  symlinkSync(path.join(folder, 'data', 'kept'), path.join(folder, 'link'))
  assert.ok(isRefused('link', 'data', folder), 'a link into the data folder')
  assert.ok(isRefused('link/new', 'data', folder), 'a folder to be made behind the link')
})

test('lists unknown variables with the service’s prefix', () => {
  const env = { SVC_WORKRES: '2', SVC_PORT: '1', svc_workers: '2', HOSTNAME: 'x', SVC_WORKERS: '2' }
  assert.deepEqual(read(env).unknownVariables, [
    { name: 'SVC_WORKRES', suggestion: '; did you mean SVC_WORKERS?' },
    { name: 'SVC_PORT', suggestion: '' },
  ])
})

test('every variable in the source is read', () => {
  const source = readFileSync(new URL('../src/config.ts', import.meta.url), 'utf8')
  // test/readme.process.test.ts holds the operating page to the same names.
  const names = new Set(source.match(/\bSVC_[A-Z_]*[A-Z]\b/g))
  assert.ok(names.size > 20)
  for (const value of ['', 'nonsense', '1']) {
    const env = Object.fromEntries([...names].map((name) => [name, value]))
    assert.deepEqual(inspectConfig(env, WORKING_DIR).config.unknownVariables, [])
  }
})

test('the error has its mistakes and their number', () => {
  const one = { variable: 'A', expected: 'one' }
  assert.equal(new ConfigError([one]).message, 'Invalid configuration (1 error)')
  const error = new ConfigError([one, { variable: 'B', expected: 'two', found: '"3"' }])
  assert.equal(error.message, 'Invalid configuration (2 errors)')
  assert.deepEqual(error.lines, ['A: expected one', 'B: expected two, found "3"'])
})

test('an origin has an IPv6 address in brackets', () => {
  assert.equal(originOf('127.0.0.1', 80), 'http://127.0.0.1', 'as a browser writes it')
  assert.equal(originOf('::1', 8080), 'http://[::1]:8080')
  assert.equal(originOf('api.example.test', 8080), 'http://api.example.test:8080')
})
