import { expect, test } from 'vitest';
import { readRequest } from '../../../shared/search/request.ts';

test.each([
  ['rename the list "Leads"', 'rename the list'],
  ['unsubscribe bob@x.com', 'unsubscribe email'],
  ['import https://x.com/a.pdf', 'import url'],
  ['price on 2026-11-02', 'price on'],
  ['"Leads"', '"Leads"'],
])('%s is searched as %s', (typed, left) => {
  const wordsOf = (text: string) =>
    readRequest(
      text,
      () => true,
      () => false,
    ).words.map(({ stem }) => stem);
  expect(wordsOf(typed)).toEqual(wordsOf(left));
});
