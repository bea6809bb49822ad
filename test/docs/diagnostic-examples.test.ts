import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLES: Record<string, string> = parse(
  readFileSync(path.join(ROOT, 'scripts/docs/diagnostic-examples.yaml'), 'utf8'),
);
const LITERAL = /`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g;
const SHORTEST = 9;

const filesIn = (folder: string, ending: string) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.startsWith('diagnostic'))
    .map((name) => readFileSync(path.join(ROOT, folder, name), 'utf8'));

/** Texts between the values of a literal, together long enough to tell it from others. */
function piecesOf(literal: string): string[] {
  const text = literal.slice(1, -1).replaceAll(/\\([`'"\\])/g, '$1');
  const pieces = literal.startsWith('`') ? text.split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/) : [text];
  return pieces.join('').replaceAll(' ', '').length >= SHORTEST ? pieces : [];
}

const toPattern = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const messages = filesIn('codegen', '.ts')
  .flatMap((text) => [...text.matchAll(LITERAL)].map(([literal]) => piecesOf(literal)))
  .filter((pieces) => pieces.length > 0)
  .map((pieces) => new RegExp(pieces.map(toPattern).join('.+'), 's'));
const said = [...filesIn('test/codegen', '.test.ts'), ...filesIn('test/golden', 'diagnostics.txt')].join('\n');

test.each(Object.entries(EXAMPLES))('%s has an example that codegen writes', (code, example) => {
  const isWritten = messages.some((message) => message.test(example));
  const isTested = said.includes(example) || code === 'codegen-defect';
  expect([code, isWritten || isTested]).toEqual([code, true]);
});
