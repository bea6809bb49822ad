import { expect, test } from 'vitest';
import { definitionDigest, findToolFaults, lockDigest, type McpTool } from '../../../shared/mcp/lock.ts';

const TOOL: McpTool = { name: 'a', description: 'A', inputSchema: { type: 'object', properties: { x: {}, y: {} } } };

test('the digest of a definition depends on what a model reads, and on nothing else', () => {
  const digest = definitionDigest(TOOL);
  const reordered = { inputSchema: { properties: { y: {}, x: {} }, type: 'object' }, description: 'A', name: 'a' };
  expect(definitionDigest(reordered)).toBe(digest);
  expect(definitionDigest({ ...TOOL, _meta: { a: 1 }, icons: [] })).toBe(digest);
  const changed = [
    { ...TOOL, title: '' },
    { ...TOOL, description: 'A ' },
    { ...TOOL, annotations: {} },
    { ...TOOL, outputSchema: {} },
    { ...TOOL, inputSchema: JSON.parse('{"type":"object","__proto__":{}}') },
  ];
  expect(new Set([digest, ...changed.map(definitionDigest)]).size).toBe(changed.length + 1);
});

test('the digest of a list does not depend on its order', () => {
  const other = { ...TOOL, name: 'b' };
  expect(lockDigest([TOOL, other])).toBe(lockDigest([other, TOOL]));
  expect(lockDigest([TOOL])).not.toBe(lockDigest([TOOL, other]));
});

test.each<[string, object]>([
  ['a name of 129 characters', { name: 'a'.repeat(129) }],
  ['no name', { name: '' }],
  ['a description of more than 64 Ki characters', { description: 'a'.repeat(65_537) }],
  ['a schema of more than 256 Ki characters', { inputSchema: { type: 'object', default: 'a'.repeat(262_144) } }],
  ['annotations that are a list', { annotations: [] }],
])('a tool with %s has a fault', (_title, members) => {
  expect(findToolFaults(TOOL)).toEqual([]);
  expect(findToolFaults({ ...TOOL, ...members })).toHaveLength(1);
});
