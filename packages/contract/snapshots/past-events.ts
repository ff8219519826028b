/** Name of the resource with the incidents and maintenances of one year. It has no endpoint. */
export type PastEventsName = `site/events/${string}`

/** The resource of a year, such as `2026`. */
export const pastEventsResource = (year: string) => `site/events/${year}` as const

/** Whether a resource contains the incidents and maintenances of one year. */
export const isPastEventsName = (name: string): name is PastEventsName =>
  /^site\/events\/\d{4}$/.test(name)

/** Whether a resource belongs to the status: the years before it, and their translations. */
export const isPartOfStatus = (name: string): boolean =>
  /^site\/(?:translations\/[A-Za-z-]+\/)?events\/\d{4}$/.test(name)

/** Whether a resource says something of incidents and maintenances. Translations of the status are with those of others. */
export const isOfEvents = (name: string): boolean => name === 'status' || isPartOfStatus(name)
