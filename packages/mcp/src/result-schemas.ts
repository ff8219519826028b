import { DATA_SCHEMAS, type DataSchemaName } from '@public-api/contract/registry/schemas'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { z } from 'zod'

/** The facts that accompany every result, which the instructions of the server describe. */
export const PROOF = z.object({
  origin: z.string(),
  keyId: z.string(),
  isPinned: z.boolean(),
  provedAt: z.string(),
  source: z.enum(['origin', 'mirror', 'store']),
  version: z.object({ snapshotId: z.string(), createdAt: z.string(), hash: z.string() }),
})

/** The schema of a result: data with its proof. Open, because a minor version of the service may add fields. */
export const resultOf = (data: z.ZodObject) =>
  z.looseObject({ proof: PROOF, data: z.looseObject(data.shape) })

const TYPES = {
  string: z.string,
  integer: z.int,
  boolean: z.boolean,
  array: () => z.array(z.unknown()),
  object: () => z.looseObject({}),
}

/**
 * The members of the data of an endpoint with their descriptions, one level deep: an agent reads the whole list of tools
 * before it calls one, and the OpenAPI document of the service has the rest.
 */
export function membersOf(name: DataSchemaName): z.ZodObject {
  const { properties, required }: JsonSchema = DATA_SCHEMAS[name]
  const members = Object.entries(properties ?? {}).map(
    ([member, { type = 'object', description }]) => {
      const schema = TYPES[type]().describe(description ?? '')
      return [member, (required ?? []).includes(member) ? schema : schema.optional()] as const
    },
  )
  return z.object(Object.fromEntries(members))
}
