import { UsageError } from '@public-api/cli-kit/command'

/** The URL of a service or of a copy of its files, with a slash at the end. Throws a UsageError. */
export function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url !== undefined && `${url.search}${url.hash}${url.username}` === ''
  if (url === undefined || !isPlain || !/^https?:$/.test(url.protocol)) {
    // Not repeated: it may contain a password.
    throw new UsageError('expected a URL such as https://api.example.org')
  }
  return url.href.replace(/\/*$/, '/')
}
