import { expect, test } from 'vitest';
import { createCredentialWriter } from '../../../../server/call/upstream/credential.ts';

test.each([
  ['five characters', 'abcde', 'key abcde'],
  ['six characters', 'abcdef', 'key [redacted]'],
])('a secret of %s in an answer: %s becomes %s', (_title, secret, want) => {
  const part = { id: 'key', type: 'query', label: 'Key', name: 'k' } as const;
  const { redactor } = createCredentialWriter([part], { key: secret });
  expect(redactor.text(`key ${secret}`)).toBe(want);
});
