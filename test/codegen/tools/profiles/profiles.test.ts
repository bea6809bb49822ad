import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../codegen/model/types.ts';
import { PROFILES, ruleName } from '../../../../codegen/tools/profiles/index.ts';
import type { ToolModel } from '../../../../codegen/tools/types.ts';
import { check, input, toLines } from './check.ts';

const RULES = PROFILES.flatMap((profile) => profile.rules.map((rule) => ({ ...rule, name: ruleName(profile, rule) })));

const nested = (depth: number): Schema =>
  depth === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(depth - 1) } };

const TWO_OF_ANY = { anyOf: [{ required: ['a'] }, { required: ['b'] }] };
const ROOM = 'with 17 for <server>';

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
  ['a name of 40 characters', { name: 'n'.repeat(40) }, { broken: [], says: [] }],
  [
    'a name of 41 characters',
    { name: 'n'.repeat(41) },
    {
      broken: ['claude/full-name-length', 'openai/full-name-length'],
      says: [
        `profile-degraded ${'n'.repeat(41)} breaks claude/full-name-length, openai/full-name-length: ` +
          `/name makes 65 of at most 64 characters in mcp__<server>__<tool>, ${ROOM}.`,
      ],
    },
  ],
  [
    'a name of 65 characters',
    { name: 'n'.repeat(65) },
    {
      broken: [
        'claude/name-length',
        'claude/full-name-length',
        'openai/name-length',
        'openai/full-name-length',
        'gemini/name-length',
        'gemini/full-name-length',
        'cursor/name-length',
        'cursor/full-name-length',
      ],
      says: [
        `profile-refused ${'n'.repeat(65)} breaks ` +
          'claude/name-length, openai/name-length, gemini/name-length, cursor/name-length: ' +
          '/name has 65 characters of at most 64; /name has 65 characters of at most 58.',
        `profile-degraded ${'n'.repeat(65)} breaks claude/full-name-length, openai/full-name-length, ` +
          'gemini/full-name-length, cursor/full-name-length: ' +
          `/name makes 89 of at most 64 characters in mcp__<server>__<tool>, ${ROOM}; ` +
          `/name makes 87 of at most 63 characters in mcp_<server>_<tool>, ${ROOM}; ` +
          `/name makes 82 of at most 59 characters in <server><tool>, ${ROOM}.`,
      ],
    },
  ],
  ['a description of 1024 characters', { description: 'd'.repeat(1024) }, { broken: [], says: [] }],
  [
    'a description of 2049 characters',
    { description: 'd'.repeat(2049) },
    {
      broken: ['claude/description-length', 'openai/description-length'],
      says: [
        'profile-degraded notes_list breaks claude/description-length: ' +
          '/description has 2049 characters of at most 2048.',
        'profile-refused notes_list breaks openai/description-length: ' +
          '/description has 2049 characters of at most 1024.',
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
      broken: ['claude/property-keys', 'gemini/property-keys'],
      says: [
        'profile-refused notes_list breaks claude/property-keys: ' +
          '/inputSchema/properties has the key filter[name], not like ^[a-zA-Z0-9_.-]{1,64}$.',
        'profile-degraded notes_list breaks gemini/property-keys: ' +
          '/inputSchema/properties has the key filter[name], not like ^[a-zA-Z_][a-zA-Z0-9_]{0,63}$.',
      ],
    },
  ],
  [
    'a dot in a key',
    input({ 'qopts.columns': {} }),
    {
      broken: ['gemini/property-keys'],
      says: [
        'profile-degraded notes_list breaks gemini/property-keys: ' +
          '/inputSchema/properties has the key qopts.columns, not like ^[a-zA-Z_][a-zA-Z0-9_]{0,63}$.',
      ],
    },
  ],
  [
    'brackets in a key deeper down',
    input({ a: nested(0), b: { properties: { 'x[y]': {} } } }),
    { broken: [], says: [] },
  ],
  [
    'a reference',
    input({ a: { $ref: '#/$defs/A' } }, { $defs: { A: { properties: { a: { $ref: '#/$defs/A' } } } } }),
    {
      broken: ['claude/references', 'gemini/references'],
      says: [
        'profile-degraded notes_list breaks claude/references, gemini/references: ' +
          '/inputSchema/properties/a uses $ref; /inputSchema/$defs/A/properties/a uses $ref.',
      ],
    },
  ],
  ['properties named like keywords', input({ a: { properties: { allOf: {}, not: {} } } }), { broken: [], says: [] }],
  [
    'keywords outside the documented subsets',
    input({ a: { not: { const: 1 } }, b: { type: 'object', patternProperties: { '^x': {} } } }),
    {
      broken: ['openai/keywords', 'gemini/keywords'],
      says: [
        'profile-degraded notes_list breaks openai/keywords, gemini/keywords: ' +
          '/inputSchema/properties/a uses not; /inputSchema/properties/b uses patternProperties.',
      ],
    },
  ],
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
    'numbers in an enumeration',
    input({ a: { enum: ['one', 2] }, b: { enum: ['x', null] }, c: { items: { enum: [''] } } }),
    {
      broken: ['gemini/enum-strings'],
      says: [
        'profile-degraded notes_list breaks gemini/enum-strings: ' +
          '/inputSchema/properties/a has the enum value 2; /inputSchema/properties/c/items has the enum value "".',
      ],
    },
  ],
  ['objects ten levels deep', input({ a: nested(9) }), { broken: [], says: [] }],
  [
    'objects eleven levels deep',
    input({ a: nested(10) }),
    {
      broken: ['openai/schema-depth'],
      says: ['profile-degraded notes_list breaks openai/schema-depth: /inputSchema nests 11 objects, of at most 10.'],
    },
  ],
  [
    'more than 5000 properties',
    input(Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`p${index}`, {}]))),
    {
      broken: ['openai/property-count'],
      says: [
        'profile-degraded notes_list breaks openai/property-count: /inputSchema has 5001 properties of at most 5000.',
      ],
    },
  ],
  [
    'more than 1000 enum values',
    input({ a: { enum: Array.from({ length: 1001 }, (_, index) => `v${index}`) } }),
    {
      broken: ['openai/enum-count'],
      says: [
        'profile-degraded notes_list breaks openai/enum-count: /inputSchema lists 1001 enum values of at most 1000.',
      ],
    },
  ],
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
    const unseen = RULES.filter(({ name, kind }) => kind !== 'tool-count' && !seen.has(name));
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
