import { expect, test } from 'vitest';
import { createCredentialWriter, redact } from '../../../server/upstream/credential-writer.ts';

test.each([
  ['five characters', 'abcde', 'key abcde'],
  ['six characters', 'abcdef', 'key [redacted]'],
])('a secret of %s in an answer: %s reads %s', (_title, secret, want) => {
  const part = { id: 'key', type: 'query', label: 'Key', name: 'k' } as const;
  const { secrets } = createCredentialWriter([part], { key: secret });
  expect(redact(`key ${secret}`, secrets)).toBe(want);
});
