import { Html } from './html.ts'

/**
 * Texts of the page's locale for the page's script, which reads them by the same name (src/browser/page-texts.ts). A
 * template is neither shown nor read aloud, and its text needs no escape but for two characters.
 */
export function scriptTexts(name: string, texts: object): Html {
  const json = JSON.stringify(texts).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return new Html(`<template data-texts="${name}">${json}</template>`)
}
