import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonMember } from '../../../codegen/emit/literal.ts';
import { readPlainMembers } from '../../../codegen/report/read/plain-literal.ts';
import { exportedObject, objectMembers, parseSource, readLiteral } from '../../../codegen/typescript-literal.ts';

const GENERATED = path.resolve(import.meta.dirname, '../../../generated');
const FILES = readdirSync(GENERATED, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /(tools\/[^/]+|\w\/index)\.ts$/.test(file),
);

function readWithTypeScript(text: string): Record<string, unknown> {
  const source = parseSource('file.ts', text);
  return Object.fromEntries(
    objectMembers(exportedObject(source)).map(([name, value]) => {
      const literal = readLiteral(value);
      return [name, literal === null ? value.getText(source) : literal.value];
    }),
  );
}

const file = (members: string): string =>
  `import type { Tool } from './x.ts';\n\nexport const tool: Tool = {${members}};\n`;

describe('readPlainMembers', () => {
  it.each(FILES)('reads %s as the compiler does', (name) => {
    const text = readFileSync(path.join(GENERATED, name), 'utf8');
    expect(readPlainMembers(text)).toEqual(readWithTypeScript(text));
  });

  it('reads any JSON that codegen writes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
        const members = JSON.parse(JSON.stringify(value));
        const text = `export const tool = {\n  ${jsonMember('member', members)},\n};\n`;
        expect(readPlainMembers(text)).toEqual({ member: members });
      }),
    );
  });

  it.each([
    ["a: 'it\\'s', b: \"say 'a'\", c: 'x\\u0041\\u{1f600}\\n\\\\'", { a: "it's", b: "say 'a'", c: 'xA😀\n\\' }],
    ["a: -1.5e3, b: [], c: {}, d: [1, 'x'], e: null", { a: -1500, b: [], c: {}, d: [1, 'x'], e: null }],
    ["a: { b: 'c' } satisfies RequestOf<paths['/a,{b}']['get'], 'x>'>, d: true", { a: { b: 'c' }, d: true }],
    ["a:\n  'One. ' +\n  \"It's two. \" +\n  'Three.', b: ['x' + 'y']", { a: "One. It's two. Three.", b: ['xy'] }],
    ['search: words, tools: [\n  one,\n  two,\n]', { search: 'words', tools: '[\n  one,\n  two,\n]' }],
  ])('reads %s', (members, want) => {
    expect(readPlainMembers(file(members))).toEqual(want);
    expect(readPlainMembers(file(members))).toEqual(readWithTypeScript(file(members)));
  });

  it('reads a member named __proto__ as data', () => {
    const members = readPlainMembers(file("a: { ['__proto__']: 1 }"));
    expect(Object.entries(members?.a as object)).toEqual([['__proto__', 1]]);
  });

  it.each([
    'a: f()',
    'a: { b: code }',
    'a: 1 + 1',
    "a: 'x' + y",
    "a: 'x' - 'y'",
    'a: `x`',
    'a: 0x10',
    '...b',
    'a() {}',
    'a',
    'a: 1 /* why */',
    "a: 'x' as string",
    "a: '\\101'",
    "['a']: 1",
    'a: 1',
  ])('leaves %s to the compiler', (members) => {
    const text = file(members);
    expect(readPlainMembers(members === 'a: 1' ? text.replace(';\n\nexport', ';\n\nconst') : text)).toBeNull();
  });

  it('does not run out of stack or time on brackets that never close', () => {
    expect(() => readPlainMembers(`export const tool = {a: ${"'x', ".repeat(100_000)}`)).not.toThrow();
  });
});
