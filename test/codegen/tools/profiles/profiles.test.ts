import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROFILES } from '../../../../codegen/tools/profiles/clients.ts';
import { ruleName } from '../../../../codegen/tools/profiles/index.ts';
import type { ToolModel } from '../../../../codegen/tools/types.ts';
import { check, input, toLines } from './check.ts';

const RULES = PROFILES.flatMap((profile) => profile.rules.map((rule) => ({ ...rule, name: ruleName(profile, rule) })));

const TWO_OF_ANY = { anyOf: [{ required: ['a'] }, { required: ['b'] }] };

const TABLE: readonly (readonly [
  title: string,
  given: Partial<ToolModel>,
  want: { readonly broken: readonly string[]; readonly says: readonly string[] },
])[] = [
  ['nothing at all', {}, { broken: [], says: [] }],
  [
    'a space in the name',
    { name: 'list notes' },
    {
      broken: ['claude/name-pattern', 'openai/name-pattern', 'gemini/name-pattern'],
      says: [
        'profile-refused list notes breaks claude/name-pattern, openai/name-pattern, gemini/name-pattern: ' +
          '/name does not match ^[a-zA-Z0-9_-]+$; /name does not match ^[a-zA-Z_][a-zA-Z0-9_.-]*$.',
      ],
    },
  ],
  [
    'a digit at the start of the name',
    { name: '3d_notes' },
    {
      broken: ['gemini/name-pattern'],
      says: ['profile-refused 3d_notes breaks gemini/name-pattern: /name does not match ^[a-zA-Z_][a-zA-Z0-9_.-]*$.'],
    },
  ],
  ['a name of 58 characters', { name: 'n'.repeat(58) }, { broken: [], says: [] }],
  [
    'a name of 65 characters',
    { name: 'n'.repeat(65) },
    {
      broken: ['claude/name-length', 'openai/name-length', 'gemini/name-length', 'cursor/name-length'],
      says: [
        `profile-refused ${'n'.repeat(65)} breaks ` +
          'claude/name-length, openai/name-length, gemini/name-length, cursor/name-length: ' +
          '/name has 65 characters of at most 64; /name has 65 characters of at most 58.',
      ],
    },
  ],
  ['a description of 1024 characters', { description: 'd'.repeat(1024) }, { broken: [], says: [] }],
  [
    'a description of 1025 characters',
    { description: 'd'.repeat(1025) },
    {
      broken: ['openai/description-length'],
      says: [
        'profile-refused notes_list breaks openai/description-length: ' +
          '/description has 1025 characters of at most 1024.',
      ],
    },
  ],
  [
    'no object at the root of the input',
    { inputSchema: {} },
    {
      broken: ['claude/root-type', 'openai/root-type', 'sdk/input-root-type'],
      says: [
        'profile-refused notes_list breaks claude/root-type, openai/root-type: /inputSchema is not of type object.',
        'profile-refused notes_list breaks sdk/input-root-type: /inputSchema is not of type object.',
      ],
    },
  ],
  [
    'an array at the root of the output',
    { outputSchema: { type: 'array', items: {} } },
    {
      broken: ['sdk/output-root-type'],
      says: ['profile-refused notes_list breaks sdk/output-root-type: /outputSchema is not of type object.'],
    },
  ],
  [
    'alternatives at the root',
    input({ a: {}, b: {} }, TWO_OF_ANY),
    {
      broken: ['claude/root-combinators', 'openai/root-combinators'],
      says: [
        'profile-refused notes_list breaks claude/root-combinators, openai/root-combinators: ' +
          '/inputSchema uses anyOf at its root.',
      ],
    },
  ],
  ['alternatives deeper down', input({ a: { type: 'object', ...TWO_OF_ANY } }), { broken: [], says: [] }],
  [
    'brackets in a key',
    input({ 'filter[name]': {} }),
    {
      broken: ['claude/property-keys'],
      says: [
        'profile-refused notes_list breaks claude/property-keys: ' +
          '/inputSchema/properties has the key filter[name], not like ^[a-zA-Z0-9_.-]{1,64}$.',
      ],
    },
  ],
  [
    'brackets in a key deeper down',
    input({ a: { type: 'string' }, b: { properties: { 'x[y]': {} } } }),
    { broken: [], says: [] },
  ],
  ['properties named like keywords', input({ a: { properties: { allOf: {}, not: {} } } }), { broken: [], says: [] }],
  [
    'an array without items',
    input({ a: { type: ['array', 'null'] } }),
    {
      broken: ['openai/array-items', 'gemini/array-items'],
      says: [
        'profile-refused notes_list breaks openai/array-items, gemini/array-items: ' +
          '/inputSchema/properties/a is an array without items.',
      ],
    },
  ],
  [
    'lookahead in a pattern',
    input({ email: { type: 'string', pattern: '^(?!\\.)[^@]+@[^@]+$' } }),
    {
      broken: ['openai/lookaround'],
      says: [
        'profile-refused notes_list breaks openai/lookaround: ' +
          '/inputSchema/properties/email has the pattern ^(?!\\.)[^@]+@[^@]+$, which looks around.',
      ],
    },
  ],
  ['groups in a pattern', input({ a: { pattern: '(?:a|b)(?<year>\\d+)\\(\\?' } }), { broken: [], says: [] }],
  [
    'booleans in place of schemas',
    {
      ...input({ a: true }),
      outputSchema: { type: 'object', properties: { b: { items: { properties: { c: false } } } } },
    },
    {
      broken: ['sdk/boolean-schemas'],
      says: [
        'profile-refused notes_list breaks sdk/boolean-schemas: ' +
          '/inputSchema/properties/a has a boolean in place of a schema; ' +
          '/outputSchema/properties/b/items/properties/c has a boolean in place of a schema.',
      ],
    },
  ],
];

describe('client profiles', () => {
  it.each(TABLE)('find %s', (_title, given, { broken, says }) => {
    const found = check(given);
    expect(found.broken).toEqual(broken);
    expect(toLines(found.problems)).toEqual(says);
  });

  it('have a tool that breaks each rule', () => {
    const seen = new Set(TABLE.flatMap(([, , { broken }]) => broken));
    const unseen = RULES.filter(({ name }) => !seen.has(name));
    expect(unseen.map(({ name }) => name)).toEqual([]);
  });

  it('list each rule once, with a reason and its sources', () => {
    expect(new Set(RULES.map(({ name }) => name)).size).toBe(RULES.length);
    for (const { name, because, sources } of RULES) {
      expect([name, because.endsWith('.') || because.endsWith('.)') || because.endsWith('".')]).toEqual([name, true]);
      expect([name, sources.length]).not.toEqual([name, 0]);
      for (const source of sources) expect(source).toMatch(/^https:\/\/[^\s]+$/);
    }
  });

  it('never list a limit as undocumented that they check', () => {
    for (const { id, rules, notDocumented } of PROFILES) {
      expect([id, rules.filter(({ kind }) => notDocumented.includes(kind)).map((rule) => rule.id)]).toEqual([id, []]);
    }
  });

  it('are in the documentation with every source', () => {
    const text = readFileSync(
      path.resolve(import.meta.dirname, '../../../../docs/reference/client-profiles.md'),
      'utf8',
    );
    const missing = RULES.flatMap(({ name, sources }) => [`\`${name}\``, ...sources.map((url) => `(${url})`)]);
    expect(missing.filter((part) => !text.includes(part))).toEqual([]);
  });
});
