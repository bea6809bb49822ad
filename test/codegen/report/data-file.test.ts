import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonMembers } from '../../../codegen/emit/literal.ts';
import { readDataFile } from '../../../codegen/report/read/data-file.ts';
import { exportedObject, objectMembers, parseSource, readLiteral } from '../../../codegen/typescript-literal.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const HEAD = `// Generated.
import type { GeneratedTool, RequestOf } from 'unified-tool-gateway/contract';
import type { paths } from '../schema.d.ts';

export const x: GeneratedTool = {
`;
const TAIL = "  request: {} satisfies RequestOf<paths['/x']['get'], 'text/plain'>,\n};\n";

function readTree(text: string): Record<string, unknown> {
  const members = objectMembers(exportedObject(parseSource('tool.ts', text)));
  return Object.fromEntries(members.map(([name, value]) => [name, readLiteral(value)?.value]));
}

describe('a file that is data alone', () => {
  test('is read as the compiler reads it, and nearly every emitted file is one', async () => {
    let read = 0;
    let left = 0;
    for await (const file of glob('{generated,test/golden/*/generated}/*/tools/*.ts', { cwd: ROOT })) {
      const text = await readFile(path.join(ROOT, file), 'utf8');
      const data = readDataFile(text);
      if (data === null) left += 1;
      else {
        read += 1;
        expect(JSON.stringify(data), file).toBe(JSON.stringify(readTree(text)));
      }
    }
    expect(read).toBeGreaterThan(100);
    expect(left).toBeLessThan(read / 10);
  });

  test.each([
    ['quotes', `it's "quoted" \\ and ', '`],
    ['line ends and tabs', 'a\nb\r\tc'],
    ['invisible characters', 'a\u202Eb\u{E0041}c\u2028d'],
    ['what looks like the end of a file', "} satisfies RequestOf<paths['/x']>,\n};\n"],
    ['what looks like a sum', `'a' + 'b', a: 1,}`],
    ['a long text of sentences', `${'It\'s one. And another: "two". '.repeat(20)}\n\\'end`],
  ])('may have texts with %s', (_, value) => {
    const members = jsonMembers({ description: value, inputSchema: { default: value, [value]: [value, -1.5, null] } });
    const text = `${HEAD}${members.map((member) => `  ${member},\n`).join('')}${TAIL}`;
    expect(readDataFile(text)).toEqual({ ...readTree(text), request: {} });
    expect(readDataFile(text)?.description).toBe(value);
  });
});

test.each([
  ['code as a value', `${HEAD}  name: evil(),\n${TAIL}`],
  ['a name as a value', `${HEAD}  name,\n${TAIL}`],
  ['a spread', `${HEAD}  ...other,\n${TAIL}`],
  ['a computed name', `${HEAD}  ['__proto__']: 1,\n${TAIL}`],
  ['a template', `${HEAD}  name: \`x\`,\n${TAIL}`],
  ['a comment', `${HEAD}  /* name: 'y', */ name: 'x',\n${TAIL}`],
  ['another kind of escape', `${HEAD}  name: '\\x41',\n${TAIL}`],
  ['a member behind the type', HEAD + TAIL.replace('>,', ">, name: 'evil', a: b<c>,")],
  ['a member inside the type', HEAD + TAIL.replace("'text/plain'", "{}>, name: 'evil', b: c<'d'")],
  ['a statement before the constant', `${HEAD.replace('export', 'const y = 1;\nexport')}${TAIL}`],
  ['a statement after the constant', `${HEAD}${TAIL}x.name = 'evil';\n`],
  ['another constant first', `// Generated.\nexport const y: GeneratedTool = {};\n${HEAD}${TAIL}`],
])('%s is left to the compiler', (_, text) => {
  expect(readDataFile(text)).toBeNull();
});
