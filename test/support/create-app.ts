import { createAppComposer, type AppDependencies } from '../../src/app.ts'
import type { App } from '../../src/http/api-request.ts'

/** An app with fixed releases and keys. */
export function createApp({ releases, signing, ...parts }: AppDependencies): App {
  return createAppComposer(parts)({ releases, signing })
}
