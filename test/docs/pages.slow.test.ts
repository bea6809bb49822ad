import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PAGES } from '../../scripts/docs/pages.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

test.each(Object.entries(PAGES))('%s is what `npm run docs` writes', async (file, emit) => {
  expect(readFileSync(path.join(ROOT, file), 'utf8')).toBe(await emit());
});
