import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { surveyDocument } from '../../../../codegen/load/survey.ts';
import { parseSource } from '../../../../codegen/load/text/source.ts';
import { descriptor, loadNotes, place } from '../service-files.ts';

describe('YAML', () => {
  const faults: [string, string, [number, string][]][] = [
    ['a repeated key', 'a: 1\nb: 2\na: 3\n', [[3, 'Map keys must be unique.']]],
    ['a repeated key deep inside', 'a:\n  b: 1\n  b: 2\n', [[3, 'Map keys must be unique.']]],
    ['an unclosed quote', 'a: 1\nb: "x\n', [[3, 'Missing closing "quote.']]],
    ['a tab', 'a:\n\tb: 1\n', [[2, 'Tabs are not allowed as indentation.']]],
    [
      'a second document',
      'a: 1\n---\nb: 1\n',
      [[2, 'Source contains multiple documents; please use YAML.parseAllDocuments().']],
    ],
    ['an unknown tag', 'a: !!python/object x\n', [[1, 'Unresolved tag: tag:yaml.org,2002:python/object.']]],
    ['an alias without an anchor', 'a: *b\n', [[1, 'Unresolved alias (the anchor must be set before the alias): b.']]],
    [
      'two faults at once',
      'a: 1\na: 2\nb: 1\nb: 2\n',
      [
        [2, 'Map keys must be unique.'],
        [4, 'Map keys must be unique.'],
      ],
    ],
  ];
  test.each(faults)('with %s is rejected at its line', (_title, given, want) => {
    const source = parseSource('notes.yaml', given);
    expect(source.faults.map(({ position, message }) => [position.line, message])).toEqual(want);
    expect(source.value).toBeUndefined();
  });

  test('that multiplies aliases exponentially is rejected before it fills the memory', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 10; level += 1) {
      lines.push(
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    }
    const source = parseSource('bomb.yaml', lines.join('\n'));
    expect(source.faults.map(({ message }) => message)).toEqual([
      'Excessive alias count indicates a resource exhaustion attack.',
    ]);
  });

  test('nested too deeply is rejected', () => {
    expect(parseSource('deep.yaml', '['.repeat(20_000)).faults.length).toBeGreaterThan(0);
  });

  test('shares what aliases share, however often they are used', () => {
    const source = parseSource('notes.yaml', `a: &a { type: string }\nb: [${Array(500).fill('*a').join(', ')}]`);
    expect(source.faults).toEqual([]);
    expect((source.value as { b: unknown[] }).b).toHaveLength(500);
  });

  test('merges maps and reads dates, versions and status codes as JSON does', () => {
    const text = 'base: &base { a: 1 }\nb: { <<: *base, c: 2020-01-01 }\n200: 1.10\n__proto__: { x: 1 }\nd: yes\n';
    expect(JSON.stringify(parseSource('notes.yaml', text).value)).toBe(
      '{"200":1.1,"base":{"a":1},"b":{"a":1,"c":"2020-01-01"},"__proto__":{"x":1},"d":"yes"}',
    );
  });

  test('locates every key through aliases and merges, and the nearest parent of a missing key', () => {
    const text = 'a: &a\n  b:\n    - 1\n    - c: 2\nd: *a\ne:\n  <<: *a\n  f: 1\n';
    const { locate } = parseSource('notes.yaml', text);
    const lines = ['', '/a', '/a/b', '/a/b/1', '/a/b/1/c', '/a/b/7', '/d', '/d/b', '/e/f', '/e/b/0', '/gone/x'];
    expect(lines.map((pointer) => locate(pointer)?.line)).toEqual([1, 1, 2, 4, 4, 2, 5, 2, 8, 3, 1]);
  });
});

describe('JSON', () => {
  const faults: [string, string, [number, string][]][] = [
    ['a missing value', '{\n "a": }', [[2, 'Value expected.']]],
    ['a trailing comma', '{\n "a": 1,\n}', [[3, 'Property name expected.']]],
    ['a comment', '{\n // x\n}', [[2, 'Invalid comment token.']]],
    ['no content', '', [[1, 'Value expected.']]],
    ['a missing end', '{"a": 1', [[1, 'Close brace expected.']]],
  ];
  test.each(faults)('with %s is rejected at its line', (_title, given, want) => {
    const source = parseSource('notes.json', given);
    expect(source.faults.map(({ position, message }) => [position.line, message])).toEqual(want);
  });

  test('is read from a file with a YAML extension', () => {
    expect(parseSource('notes.yaml', '{"a":\t[1]}').value).toEqual({ a: [1] });
    expect(parseSource('notes.yaml', '{a: [1]}').value).toEqual({ a: [1] });
  });

  test('locates every key, and the nearest parent of a missing key', () => {
    const text = '{\n "a": {"x/y": [\n  1,\n  {"c\\u0064": "}]"}\n ],\n "z": 1},\n "b": null\n}';
    const { locate } = parseSource('notes.json', text);
    const lines = ['', '/a', '/a/x~1y', '/a/x~1y/0', '/a/x~1y/1/cd', '/a/z', '/a/gone', '/b', '/b/x', '/a/x~1y/9'];
    expect(lines.map((pointer) => locate(pointer)?.line)).toEqual([1, 2, 2, 3, 4, 6, 2, 7, 7, 2]);
  });

  test('locates the key after any kind of value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t'), (value, indent) => {
        const text = JSON.stringify({ a: value, b: [value, 1] }, null, indent);
        const lines = text.split('\n').length;
        const { locate } = parseSource('notes.json', text);
        expect([locate('/b/1')?.line, locate('/a')?.line]).toEqual(lines === 1 ? [1, 1] : [lines - 2, 2]);
      }),
    );
  });

  test('gives the same column for every key and item in YAML and JSON', () => {
    const key = fc.stringMatching(/^[a-z]{1,6}$/);
    const values = fc.dictionary(
      key,
      fc.dictionary(key, fc.array(fc.integer({ min: 10, max: 99 }), { minLength: 1, maxLength: 3 }), { maxKeys: 3 }),
      { maxKeys: 3 },
    );
    fc.assert(
      fc.property(values, fc.constantFrom('', '  '), (value, indent) => {
        for (const [file, text] of [
          ['notes.json', JSON.stringify(value, null, indent)],
          ['notes.yaml', stringify(value)],
        ] as const) {
          const { locate } = parseSource(file, text);
          const at = (pointer: string) => {
            const { line = 0, column = 0 } = locate(pointer) ?? {};
            return (text.split('\n')[line - 1] ?? '').slice(column - 1);
          };
          for (const [name, inner] of Object.entries(value)) {
            expect(at(`/${name}`)).toMatch(new RegExp(`^"?${name}"?:`));
            for (const [own, items] of Object.entries(inner)) {
              expect(at(`/${name}/${own}`)).toMatch(new RegExp(`^"?${own}"?:`));
              expect(at(`/${name}/${own}/${items.length - 1}`)).toMatch(new RegExp(`^${items.at(-1)}`));
            }
          }
        }
      }),
    );
  });

  test('locates thousands of places in a large text without parsing again for each', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [`/p${i}`, { get: { x: 'y'.repeat(500) } }]),
    );
    const { locate } = parseSource('large.json', JSON.stringify({ paths }, null, 1));
    const lines = Array.from({ length: 5000 }, (_, i) => locate(`/paths/~1p${i}/get`)?.line);
    expect(lines.slice(0, 2)).toEqual([4, 9]);
  });
});

describe('YAML of a descriptor', () => {
  const tolerant = (text: string) => parseSource('a.yaml', text, { isTolerant: true });

  test.each([
    [
      'a quoted text whose next line is indented less',
      'a:\n  b: "first\n second\n\nthird"\nc: 1\n',
      { a: { b: 'first second\nthird' }, c: 1 },
    ],
    ['the same in single quotes', "a:\n  b: 'it''s\nlong'\nc: 1\n", { a: { b: "it's long" }, c: 1 }],
    ['the same in a flow collection', 'a:\n  b: { c: "d\ne" }\n', { a: { b: { c: 'd e' } } }],
    ['tabs outside indentation', 'a:\t1\nb:\n  -\tc\n', { a: 1, b: ['c'] }],
    [
      'text that only YAML 1.1 reads as booleans and dates',
      'a: yes\nb: on\nc: 2020-01-01\n',
      { a: 'yes', b: 'on', c: '2020-01-01' },
    ],
    ['merge keys', 'a: &a { b: 1 }\nc: { <<: *a, d: 2 }\n', { a: { b: 1 }, c: { b: 1, d: 2 } }],
  ])('%s is read without a warning', (_title, text, want) => {
    expect(tolerant(text)).toMatchObject({ value: want, faults: [], repairs: [] });
  });

  test.each([
    ['a repeated key, whose last value counts', 'a: 1\na: 2\n', { a: 2 }, 2],
    ['an unknown tag', 'a: !secret b\n', { a: 'b' }, 1],
    ['a key of more than 1024 characters', `${'a'.repeat(1100)}: 1\n`, { ['a'.repeat(1100)]: 1 }, 1],
  ])('%s is read with a warning', (_title, text, want, line) => {
    const { value, faults, repairs } = tolerant(text);
    expect({ value, faults }).toEqual({ value: want, faults: [] });
    expect(repairs).toEqual([{ position: { line, column: expect.any(Number) }, message: expect.any(String) }]);
  });

  test.each([
    ['a quote that never closes', 'a: 1\nb: "c\nd: 2\n'],
    ['a tab as indentation', 'a:\n\tb: 1\n'],
    ['a flow collection that is not indented', 'a: { b: 1,\nc: 2 }\n'],
    ['two documents', 'a: 1\n---\nb: 2\n'],
    ['items that are not aligned', 'a:\n    b: 1\n   c: 2\n'],
  ])('%s is rejected', (_title, text) => {
    expect(tolerant(text).faults).not.toEqual([]);
  });

  test('keeps line numbers after a repaired text', () => {
    expect(tolerant('a: "b\nc"\nd:\n  e: 1\n').locate('/d/e')).toEqual({ line: 4, column: 3 });
  });
});

describe('a value that JSON cannot express', () => {
  test('is null in the descriptor', async () => {
    const loaded = await loadNotes({ 'openapi.yaml': descriptor('x-a: .nan', 'x-b: [1, .inf]') });
    expect(loaded.problems.map((problem) => place(loaded, problem))).toEqual([
      'descriptor-repaired openapi.yaml:8 /x-a',
      'descriptor-repaired openapi.yaml:9 /x-b/1',
    ]);
    expect(loaded.document).toMatchObject({ 'x-a': null, 'x-b': [1, null] });
  });

  test('is rejected when an alias contains itself', async () => {
    const loaded = await loadNotes({ 'openapi.yaml': descriptor('x-a: &a', '  b: *a') });
    expect(loaded.problems.map(({ code }) => code)).toEqual(['document-value']);
  });

  test('is rejected when it is nested deeper than any descriptor', () => {
    const deep = JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`);
    expect(surveyDocument(deep).faults).toHaveLength(1);
  });
});
