/** Locales of the pages and of a registration (spec 4.1), the default first. */
export const LOCALES = ['en', 'th', 'zh-CN'] as const

export type Locale = (typeof LOCALES)[number]
