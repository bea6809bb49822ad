import fc from 'fast-check';
import { expect, test } from 'vitest';
import { selectScopes } from '../../../../../codegen/select-scopes.ts';
import { scopesToAskFor } from '../../../../../server/call/upstream/oauth/scopes.ts';
import { fakeTool } from '../../../../support/fake-connector.ts';

const scopesArbitrary = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'A', 'é'), { maxLength: 3 });
const needsArbitrary = fc.array(fc.array(scopesArbitrary, { maxLength: 3 }), { maxLength: 6 });

const ask = (always: readonly string[], needs: readonly (readonly (readonly string[])[])[]) =>
  scopesToAskFor(
    { tools: needs.map((scopes, index) => fakeTool({ name: `library_${index}`, more: { scopes } })) },
    { scopes: always },
  );

test('the gateway requests the scopes that reviewers were shown', () => {
  fc.assert(
    fc.property(scopesArbitrary, needsArbitrary, (always, needs) => {
      expect(ask(always, needs)).toEqual(selectScopes(always, needs));
    }),
  );
});

test('of two ways to satisfy a tool, the one that adds least is requested', () => {
  expect(ask(['offline'], [[['read', 'write'], ['admin']], [['read']], [['write']]])).toEqual([
    'offline',
    'read',
    'write',
  ]);
});
