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
    ['rejects a value that the parameter does not allow', '/a?x=1', [query('x', { enum: ['2'] })], { faults: 1 }],
    [
      'marks where a query parameter goes',
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
      'drops a fragment where the rest of the path is unique',
      '/a/{bucket}#only',
      [bucket],
      { target: { path: '/a/{bucket}', query: '' }, fixed: [], faults: 0 },
    ],
    [
      'drops a fragment that a required parameter repeats',
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
    ['rejects paths that differ only in their fragment', '/{bucket}#tagging', [bucket], { faults: 1 }],
    [
      'rejects paths that only an optional parameter distinguishes',
      '/{bucket}#tagging',
      [bucket, query('tagging', { type: 'boolean' }, false)],
      { faults: 1 },
    ],
    ['rejects an unbalanced brace', '/a/{bucket', [], { faults: 1 }],
    [
      'reads punctuation within braces as part of a name',
      '/a/{x?#}',
      [{ ...bucket, name: 'x?#' }],
      { target: undefined, fixed: [], faults: 0 },
    ],
  ])('%s', (_, key, parameters, want) => {
    const { codes, ...got } = read(key, parameters, PLAIN);
    expect(got).toMatchObject(want);
    expect(codes.includes('path-unsendable')).toBe(got.faults === 1);
  });

  test('drops the fragments of operations whose bodies need different members', () => {
    const bodyOf = (name: string) => {
      const schema = { type: 'object', required: [name], properties: { [name]: {} } };
      return { ...OK, requestBody: { content: { 'application/json': { schema } } } };
    };
    const { model } = modelOf({ paths: { '/a#x': { post: bodyOf('x') }, '/a#y': { post: bodyOf('y') } } });
    expect(model.operations.map(({ target, faults }) => [target, faults.length])).toEqual([
      [{ path: '/a', query: '' }, 0],
      [{ path: '/a', query: '' }, 0],
    ]);
  });

  test('removes both of two operations that differ only in their fragment', () => {
    const paths = { '/a#x': { get: OK }, '/a#y': { get: OK }, '/b': { get: OK } };
    const { model } = modelOf({ paths });
    expect(model.operations.map(({ path, faults }) => [path, faults.length])).toEqual([
      ['/a#x', 1],
      ['/a#y', 1],
      ['/b', 0],
    ]);
  });
});
