/** Locales of the pages and of a registration (spec 4.1), the one for everybody else first. */
export const LOCALES = ['en', 'th', 'zh-CN'] as const

/** One of them, spelled as it is there. */
export type Locale = (typeof LOCALES)[number]
