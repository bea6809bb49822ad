import { describe, expect, test } from 'vitest';
import { compareServices } from '../../../codegen/report/compare.ts';
import { groupChanges } from '../../../codegen/report/group.ts';
import type { ToolSurface } from '../../../codegen/report/types.ts';
import { serviceSurface, toolSurface } from './surface.ts';

const tool = (name: string, input: object, output: object = {}): ToolSurface =>
  toolSurface({
    name,
    operation: { id: name, method: 'GET', path: `/${name}`, server: '' },
    inputSchema: { type: 'object', properties: input, additionalProperties: false },
    outputSchema: { type: 'object', properties: output },
  });
const groups = (before: ToolSurface[], after: ToolSurface[]) =>
  groupChanges(compareServices([serviceSurface(before)], [serviceSurface(after)], { today: '2026-12-01' })).map(
    ({ rule, changes }) => [rule, ...changes.map(({ tool: name, place }) => `${name} ${place}`)],
  );
const text = { type: 'string' };

describe('decisions', () => {
  test('about members removed from one parent are grouped', () => {
    const row = (members: object) => ({ rows: { type: 'array', items: { type: 'object', properties: members } } });
    expect(groups([tool('a', {}, row({ x: text, y: text, z: text }))], [tool('a', {}, row({ z: text }))])).toEqual([
      ['output-field-removed', 'a output.rows[].x', 'a output.rows[].y'],
    ]);
  });

  test('about sibling arguments of tools that share one of them are grouped', () => {
    const limit = (maxLength: number) => ({ ...text, maxLength });
    expect(
      groups(
        [tool('a', { x: text, y: text }), tool('b', { y: text, z: text }), tool('c', { q: text })],
        [tool('a', { x: limit(1), y: limit(2) }), tool('b', { y: limit(2), z: limit(3) }), tool('c', { q: limit(4) })],
      ),
    ).toEqual([
      [
        'constraint-tightened',
        'a input.x#maxLength',
        'a input.y#maxLength',
        'b input.y#maxLength',
        'b input.z#maxLength',
      ],
      ['constraint-tightened', 'c input.q#maxLength'],
    ]);
  });

  test('of different rules are not grouped', () => {
    expect(
      groups([tool('a', { x: text, y: text })], [tool('a', { y: { type: 'integer' } })]).map(([rule]) => rule),
    ).toEqual(['argument-removed', 'argument-retyped']);
  });
});
