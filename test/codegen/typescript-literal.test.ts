import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonMember } from '../../codegen/emit/literal.ts';
import { exportedObject, objectMembers, parseSource, readLiteral } from '../../codegen/typescript-literal.ts';

const GENERATED = path.resolve(import.meta.dirname, '../../generated');
const FILES = readdirSync(GENERATED, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /(tools\/[^/]+|\w\/index)\.ts$/.test(file),
);
const REFERENCES = ['request', 'tools', 'handWritten', 'skills', 'run'];

function read(text: string): Record<string, unknown> {
  const members = objectMembers(exportedObject(parseSource('file.ts', text)));
  return Object.fromEntries(members.map(([name, value]) => [name, readLiteral(value)?.value]));
}

const file = (members: string): string =>
  `import type { Tool } from './x.ts';\n\nexport const tool: Tool = {${members}};\n`;

describe('readLiteral', () => {
  it.each(FILES)('reads every member of %s that is no list of names', (name) => {
    const members = read(readFileSync(path.join(GENERATED, name), 'utf8'));
    const unread = Object.keys(members).filter((member) => members[member] === undefined);
    expect(unread.filter((member) => !REFERENCES.includes(member))).toEqual([]);
  });

  it('reads any JSON that codegen writes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
        const members = JSON.parse(JSON.stringify(value));
        expect(read(`export const tool = {\n  ${jsonMember('member', members)},\n};\n`)).toEqual({ member: members });
      }),
    );
  });

  it.each([
    ["a: 'it\\'s', b: \"say 'a'\", c: 'x\\u0041\\u{1f600}\\n\\\\'", { a: "it's", b: "say 'a'", c: 'xA😀\n\\' }],
    ["a: -1.5e3, b: [], c: {}, d: [1, 'x'], e: null", { a: -1500, b: [], c: {}, d: [1, 'x'], e: null }],
    ["a: { b: 'c' } satisfies RequestOf<paths['/a,{b}']['get'], 'x>'>, d: true", { a: { b: 'c' }, d: true }],
    ["a:\n  'One. ' +\n  \"It's two. \" +\n  'Three.', b: ['x' + 'y']", { a: "One. It's two. Three.", b: ['xy'] }],
  ])('reads %s', (members, want) => {
    expect(read(file(members))).toEqual(want);
  });

  it('reads a member named __proto__ as data', () => {
    const members = read(file("a: { ['__proto__']: 1 }"));
    expect(Object.entries(members.a as object)).toEqual([['__proto__', 1]]);
  });

  it.each(['a: f()', 'a: { b: code }', 'a: 1 + 1', "a: 'x' + y", "a: 'x' - 'y'", 'a: [one]', "a: 'x' as string"])(
    'reads no value from %s',
    (members) => {
      expect(read(file(members))).toEqual({ a: undefined });
    },
  );
});
