import { describe, expect, test } from 'vitest';
import { modelOf, places } from './model-of.ts';

const OK = { responses: { '200': { description: 'Done.' } } };
const bucket = { name: 'bucket', in: 'path', required: true, schema: { type: 'string' } };
const query = (name: string, schema: object, required = true) => ({ name, in: 'query', required, schema });

function read(key: string, parameters: readonly object[], others: Readonly<Record<string, object>> = {}) {
  const { model, problems } = modelOf({ paths: { ...others, [key]: { delete: { ...OK, parameters } } } });
  const operation = model.operations.find(({ path, method }) => path === key && method === 'DELETE');
  const fixed = operation?.parameters.flatMap(({ name, fixed: one }) => (one === undefined ? [] : [[name, one.value]]));
  return { target: operation?.target, fixed, faults: operation?.faults.length, codes: places(problems).join() };
}

const PLAIN = { '/{bucket}': { delete: { ...OK, parameters: [bucket] } } };

describe('the key of a path', () => {
  test.each<[string, string, readonly object[], object]>([
    [
      'sends a query as it is written',
      '/a?x=1&y',
      [],
      { target: { path: '/a', query: 'x=1&y' }, fixed: [], faults: 0 },
    ],
    [
      'gives a parameter its only value',
      '/a?x=1&b=true',
      [query('x', { type: 'integer' }), query('b', { type: 'boolean' }, false)],
      {
        target: { path: '/a', query: '' },
        fixed: [
          ['x', 1],
          ['b', true],
        ],
        faults: 0,
      },
    ],
    ['refuses a value that the parameter does not allow', '/a?x=1', [query('x', { enum: ['2'] })], { faults: 1 }],
    [
      'shows where a query parameter goes',
      '/a?x={x}',
      [query('x', { type: 'string' })],
      { target: { path: '/a', query: '' }, fixed: [], faults: 0 },
    ],
    [
      'keeps a path parameter in its query',
      '/a?x={bucket}',
      [bucket],
      { target: { path: '/a', query: 'x={bucket}' }, fixed: [], faults: 0 },
    ],
    [
      'loses a fragment where the rest is the only one',
      '/a/{bucket}#only',
      [bucket],
      { target: { path: '/a/{bucket}', query: '' }, fixed: [], faults: 0 },
    ],
    [
      'loses a fragment that a required parameter says',
      '/{bucket}#tagging',
      [bucket, query('tagging', { type: 'boolean' })],
      { target: { path: '/{bucket}', query: '' }, fixed: [['tagging', true]], faults: 0 },
    ],
    [
      'takes the value of a required parameter from its fragment',
      '/{bucket}#action=B',
      [bucket, query('action', { enum: ['A', 'B'] })],
      { target: { path: '/{bucket}', query: '' }, fixed: [['action', 'B']], faults: 0 },
    ],
    ['refuses what its fragment alone tells apart', '/{bucket}#tagging', [bucket], { faults: 1 }],
    [
      'refuses what an optional parameter would tell apart',
      '/{bucket}#tagging',
      [bucket, query('tagging', { type: 'boolean' }, false)],
      { faults: 1 },
    ],
    ['refuses a brace without its pair', '/a/{bucket', [], { faults: 1 }],
    [
      'reads marks within braces as a name',
      '/a/{x?#}',
      [{ ...bucket, name: 'x?#' }],
      { target: undefined, fixed: [], faults: 0 },
    ],
  ])('%s', (_, key, parameters, want) => {
    const { codes, ...got } = read(key, parameters, PLAIN);
    expect(got).toMatchObject(want);
    expect(codes.includes('path-unsendable')).toBe(got.faults === 1);
  });

  test('costs each of two operations that only fragments tell apart', () => {
    const paths = { '/a#x': { get: OK }, '/a#y': { get: OK }, '/b': { get: OK } };
    const { model } = modelOf({ paths });
    expect(model.operations.map(({ path, faults }) => [path, faults.length])).toEqual([
      ['/a#x', 1],
      ['/a#y', 1],
      ['/b', 0],
    ]);
  });
});
