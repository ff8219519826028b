/** What the driver does with TLS. It treats the last three as verify-full, and warns about them. */
const SSL_MODES = ['disable', 'no-verify', 'verify-full', 'verify-ca', 'require', 'prefer']

const FILE_NAME = { expected: 'a file', pattern: /./ }

/** The options that the URL may have. The driver lets others replace settings of the service, or ignores them. */
const OPTIONS = new Map([
  ['host', { expected: 'a host or the folder of a socket', pattern: /./ }],
  ['port', { expected: 'a number', pattern: /^\d{1,5}$/ }],
  [
    'sslmode',
    { expected: `one of ${SSL_MODES.join(', ')}`, pattern: RegExp(`^(?:${SSL_MODES.join('|')})$`) },
  ],
  ['sslrootcert', FILE_NAME],
  ['sslcert', FILE_NAME],
  ['sslkey', FILE_NAME],
])

/** Variables of libpq from which the driver takes what a URL leaves open. */
const DRIVER_VARIABLES: readonly (readonly [name: string, isOpen: (url: URL) => boolean])[] = [
  ['PGUSER', ({ username }) => username === ''],
  ['PGPASSWORD', ({ password }) => password === ''],
  ['PGPASSFILE', ({ password }) => password === ''],
  ['PGPORT', ({ port, searchParams }) => port === '' && !searchParams.has('port')],
  ['PGSSLMODE', ({ searchParams }) => !searchParams.has('sslmode')],
  ...['PGSSLNEGOTIATION', 'PGOPTIONS', 'PGREPLICATION', 'PGCLIENT_ENCODING', 'PGBINARY'].map(
    (name) => [name, () => true] as const,
  ),
]

/** What is wrong with the options of a URL, without a value; undefined if nothing is. */
function optionsMistake(options: URLSearchParams): string | undefined {
  for (const [name, value] of options) {
    const option = OPTIONS.get(name)
    if (option === undefined) {
      const found = /^\w{1,40}$/.test(name) ? name : 'another one'
      return `a URL with the options ${[...OPTIONS.keys()].join(', ')} only, found ${found}`
    }
    if (options.getAll(name).length > 1) return `a URL with the option ${name} once`
    if (!option.pattern.test(value)) return `a URL whose option ${name} is ${option.expected}`
  }
  return undefined
}

/**
 * The URL of a PostgreSQL database, or what was expected, without its values: it has a password. `isSet` is asked for
 * variables that would change the connection: a set one is refused.
 */
export function parseDatabaseUrl(
  text: string,
  isSet: (variable: string) => boolean,
): { readonly url: string } | { readonly expected: string } {
  const url = URL.parse(text)
  const host = url?.host === '' ? url.searchParams.get('host') : url?.host
  const isComplete = (host ?? '') !== '' && url?.hash === '' && /^\/[^/]+$/.test(url.pathname)
  // The driver decodes each part, and only one or the other way where an escape is incomplete.
  if (url === null || !isComplete || /%(?![0-9a-f]{2})/i.test(url.href)) {
    return {
      expected:
        'a percent-encoded URL with a host and a database, such as postgres://user:password@host:5432/database',
    }
  }
  const [variable] = DRIVER_VARIABLES.find(([name, isOpen]) => isOpen(url) && isSet(name)) ?? []
  const expected =
    optionsMistake(url.searchParams) ??
    (variable &&
      `a URL that alone describes the connection; the driver would also read ${variable}`)
  return expected === undefined ? { url: url.href } : { expected }
}
