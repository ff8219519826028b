import { formatAge, partOf } from './page-element.ts'

/** Shows the notes of planned times that have passed, with their age. */
export function showPassedTimes(nowMs: number): void {
  for (const note of document.querySelectorAll<HTMLElement>('[data-planned]')) {
    const seconds = (nowMs - Date.parse(note.dataset['planned'] ?? '')) / 1000
    if (!(seconds >= 60)) continue
    partOf(note, '.age', HTMLElement).textContent = formatAge(seconds)
    note.hidden = false
  }
}
