/** The feeds by the beginning of their names: everything, incidents and maintenances only, releases of the API only. */
export const FEED_NAMES = ['feed', 'status', 'changelog'] as const

/** A feed of one component has only the incidents and maintenances that name it. */
type ComponentFeedName = `status/components/${string}`

export type FeedName = (typeof FEED_NAMES)[number] | ComponentFeedName

/** The feed of a component. */
export function componentFeed(id: string): ComponentFeedName {
  return `status/components/${id}`
}
