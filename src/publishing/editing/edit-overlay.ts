import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { parseYamlSource } from '../rules/yaml-source.ts'
import { rewriteYaml } from './rewrite-yaml.ts'
import { readUsualSummary, writeUsualSummary } from './usual-summary.ts'

/** What an edit says in one language of the site. */
export interface EventTexts {
  readonly title?: string | undefined
  readonly text?: string | undefined
  readonly summary?: string | undefined
}

/** Where the texts of an edit are in the status. */
export interface EditedEvent {
  readonly list: 'incidents' | 'maintenances'
  readonly id: string
  /** The time of the update. */
  readonly at: string
}

type Members = { readonly [name: string]: JsonValue | undefined }

const isMembers = (value: JsonValue | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A list of an overlay with changed members of one item. The file may have the list as a list, or as a map by key. */
function withItem(
  items: JsonValue | undefined,
  keyName: 'id' | 'at',
  key: string,
  change: (item: Members) => Members,
): JsonValue {
  if (!Array.isArray(items)) {
    const { [key]: known, ...others } = isMembers(items) ? items : {}
    return { [key]: change(isMembers(known) ? known : {}), ...others }
  }
  const list = items as readonly JsonValue[]
  const at = list.findIndex((item) => isMembers(item) && item[keyName] === key)
  const known = at === -1 ? { [keyName]: key } : (list[at] as Members)
  const changed = change(known) as JsonValue
  return at === -1 ? [changed, ...list] : list.with(at, changed)
}

/**
 * The overlay of the status in one language with the texts of an edit. `text` is the file, undefined if it does not exist. Like
 * status.yaml, it remembers the usual summary, which comes back when nothing is open (`isUsualAgain`). Returns undefined if
 * nothing changes, or if the file has mistakes: these have their own message.
 */
export function editOverlay(
  text: string | undefined,
  { list, id, at }: EditedEvent,
  { title, text: update, summary }: EventTexts,
  { wasUsual, isUsualAgain }: { readonly wasUsual: boolean; readonly isUsualAgain: boolean },
): string | undefined {
  const source = text?.trim() ? text : '{}\n'
  const parsed = parseYamlSource('', source).value?.value
  if (parsed !== null && !isMembers(parsed)) return undefined
  const before: Members = parsed ?? {}
  const known = typeof before['summary'] === 'string' ? before['summary'] : undefined
  const remembered = wasUsual ? known : readUsualSummary(source)
  const shown = summary ?? (isUsualAgain ? remembered : undefined)
  const after: { [name: string]: JsonValue | undefined } = { ...before }
  if (shown !== undefined) after['summary'] = shown
  if (title !== undefined || update !== undefined) {
    after[list] = withItem(before[list], 'id', id, (item) => ({
      ...item,
      ...(title !== undefined && { title }),
      ...(update !== undefined && {
        updates: withItem(item['updates'], 'at', at, (each) => ({ ...each, text: update })),
      }),
    }))
  }
  if ([shown, title, update].every((each) => each === undefined)) return undefined
  const usual = isUsualAgain ? undefined : remembered
  return writeUsualSummary(rewriteYaml(source, after), usual)
}
