import { LIMITS } from './limits.ts'

/** The form of an API key: 16 characters of key id, 43 of secret (spec 2.5). */
export const API_KEY_FORMAT = 'svk_<keyId>_<secret>'

/** What a key's label may be (spec 2.5). */
export const API_KEY_LABEL_PATTERN: string = `^[A-Za-z0-9 ._-]{1,${LIMITS.maxLabelLength}}$`
