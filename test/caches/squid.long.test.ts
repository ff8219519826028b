import { describe } from 'node:test'
import { describeCache } from './cache-behavior.ts'
import { squidMissing, startSquid } from './start-squid.ts'

describe('behind Squid', () =>
  describeCache(startSquid, { skip: squidMissing, compresses: false, servesStale: false }))
