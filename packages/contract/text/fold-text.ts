/** A text as a search compares it: in any case, and however its letters are encoded. */
export const foldText = (text: string): string => text.normalize('NFKC').trim().toLowerCase()
