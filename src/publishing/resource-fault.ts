import { ReleaseFileError, type ReleaseStore } from '../storage/release-store.ts'

/** Describes the damage of a published resource's file in one line; undefined if it matches its digest. */
export function resourceFault(
  store: ReleaseStore,
  name: string,
  digest: string,
): string | undefined {
  try {
    store.readResourceText(name, digest)
    return undefined
  } catch (error) {
    if (error instanceof ReleaseFileError) return error.message
    throw error
  }
}
