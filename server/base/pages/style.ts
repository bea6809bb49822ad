/** The style sheet of all pages: readable at phone width, in light and dark mode, with larger text and forced colors. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Backgrounds of text and controls, as the style sheet has them. */
export const GROUNDS = {
  light: { page: '#f6f7f9', card: '#ffffff' },
  dark: { page: '#0d0f14', card: '#161920' },
} as const;

/** The content of the `<style>` element: `style.css` without comments and needless spaces. */
export const STYLE = readFileSync(join(import.meta.dirname, 'style.css'), 'utf8')
  .replaceAll(/\/\*[^*]*\*\//g, '')
  .replaceAll(/\s+/g, ' ')
  .replaceAll(/ ?([{};,]) ?/g, '$1')
  .replaceAll(': ', ':')
  .trim();

/** `STYLE` as a source of a Content Security Policy. */
export const STYLE_HASH = hashSource(STYLE);

/** An inline sheet or script as a source expression of a Content Security Policy (CSP Level 3 §6.7.2.2), including quotes. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}
