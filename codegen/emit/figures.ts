/** Figures and counted words, the same in every locale. */

/** `12345` -> `12,345`. */
export function figure(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 tool`, `2 tools`. */
export function plural(count: number, word: string): string {
  return `${figure(count)} ${word}${count === 1 ? '' : 's'}`;
}
