import type { AppDependencies } from '../../src/app.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import type { ChallengeDescription } from '../../src/service/challenge/challenge.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { builtExample } from './built-example.ts'
import { publishedReleases } from './published-releases.ts'
import { UNSOLVABLE_CHALLENGE } from './unsolvable-challenge.ts'

/** The origin of a public deployment in tests: a long one, which pages repeat in their samples. */
export const PUBLIC_ORIGIN = 'https://public-api.a-long-name.example.org'

function withChallenge(description: ChallengeDescription): Partial<AppDependencies> {
  return { challenge: { ...UNSOLVABLE_CHALLENGE, description } }
}

/** Services that have different pages: between them every part of a page is sent that depends on the configuration. */
export const SITE_VARIANTS: readonly (readonly [name: string, parts: Partial<AppDependencies>])[] =
  [
    ['a local service', withChallenge({ provider: 'test', path: null, siteKey: null })],
    [
      'a public service with what is published',
      {
        runtime: 'production',
        baseUrl: PUBLIC_ORIGIN,
        securityContact: 'mailto:security@example.test',
        releases: publishedReleases(),
        ...withChallenge({ provider: 'altcha', path: '/challenge', siteKey: null }),
      },
    ],
    [
      'a preview that signs nothing, with Turnstile',
      {
        deployment: 'preview',
        baseUrl: PUBLIC_ORIGIN,
        signing: undefined,
        securityContact: 'https://example.test/report?from=a&b',
        ...withChallenge({ provider: 'turnstile', path: null, siteKey: '1x0"<&' }),
      },
    ],
    [
      'the example organization, with hCaptcha',
      {
        releases: loadReleases(openReleaseStore((await builtExample()).releases)),
        ...withChallenge({ provider: 'hcaptcha', path: null, siteKey: '10000000-ffff' }),
      },
    ],
  ]
