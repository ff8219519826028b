import type { JsonSchema } from '@public-api/contract/schemas/schema-type'
import { DATA_SCHEMAS, type DataSchemaName } from '@public-api/contract/schemas/schemas'
import { z } from 'zod'

const version = z.object({
  snapshotId: z.string().describe('ID of the version.'),
  createdAt: z.string().describe('Time of its publication, ISO 8601 UTC.'),
  hash: z.string().describe('Its hash in the chain of versions.'),
})

const proof = z.object({
  origin: z.string().describe('Origin of the service.'),
  keyId: z.string().describe('RFC 7638 ID of the key that signed.'),
  isPinned: z
    .boolean()
    .describe('Whether the key was pinned. If not, the service itself named it.'),
  provedAt: z.string().describe('When the data was last signed as current, ISO 8601 UTC.'),
  source: z
    .enum(['origin', 'mirror', 'store'])
    .describe('A mirror is a copy, read while the service is away.'),
  version: version.describe('The published version that contains the data.'),
})

/** The schema of a result: data with its proof. Open, because a minor version of the service may add fields. */
export const resultOf = (data: z.ZodObject) =>
  z.looseObject({ proof, data: z.looseObject(data.shape) })

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
