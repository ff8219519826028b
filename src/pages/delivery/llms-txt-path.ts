/** Path of the list of pages for language models (llmstxt.org). */
export const LLMS_TXT_PATH = '/llms.txt'
