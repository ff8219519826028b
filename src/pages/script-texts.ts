import { Html } from './html.ts'

/**
 * Texts for the page's script, which reads them by name (src/browser/page-texts.ts). A template is neither shown nor
 * read aloud, and only two characters of its text need escaping.
 */
export function scriptTexts(name: string, texts: object): Html {
  const json = JSON.stringify(texts).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return new Html(`<template data-texts="${name}">${json}</template>`)
}
