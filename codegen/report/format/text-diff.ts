/** The difference of two texts as removed and added sentences. */

import { diffArrays } from 'diff';
import { escapeInvisible } from '../../emit/literal.ts';

const MAX_LINES = 24;
const MAX_LINE = 600;

/** Lines that start with `- ` or `+ `; unchanged sentences are a single ` …`. */
export function sentenceDiff(before: string, after: string): string[] {
  const lines = diffArrays(sentencesOf(before), sentencesOf(after)).flatMap(({ added, removed, value }) => {
    if (!added && !removed) return ['  …'];
    return value.map((sentence) => `${added ? '+' : '-'} ${shorten(sentence)}`);
  });
  return lines.length > MAX_LINES
    ? [...lines.slice(0, MAX_LINES), `  … ${lines.length - MAX_LINES} more lines`]
    : lines;
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+(?=\S)|\n+/u)
    .map((sentence) => escapeInvisible(sentence.trim()))
    .filter((sentence) => sentence !== '');
}

function shorten(text: string): string {
  return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text;
}
