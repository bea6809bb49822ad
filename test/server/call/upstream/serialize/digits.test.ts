import { expect, test } from 'vitest';
import { compileRequest } from '../../../../../server/call/upstream/serialize.ts';
import type { ToolRequest } from '../../../../../server/contract/index.ts';
import { toRawNumber } from '../../../../../shared/exact-json.ts';

const DIGITS = '725653563933458433';
const SHAPES: readonly ((number: unknown) => unknown)[] = [
  (number) => number,
  (number) => [number, 1],
  (number) => ({ a: number, b: 'x' }),
  (number) => ({ a: [number], b: { c: number } }),
  (number) => [{ a: number }],
];

const query = (style: string, explode: boolean) =>
  ({ query: { a: { argument: 'value', style, explode } } }) as ToolRequest;
const REQUESTS: readonly (readonly [string, ToolRequest])[] = [
  ['a path', { path: { id: 'value' } }],
  ['a path of labels', { path: { id: { argument: 'value', style: 'label', explode: false } } }],
  ['a path of names', { path: { id: { argument: 'value', style: 'matrix', explode: true } } }],
  ['a query', { query: { a: 'value' } }],
  ['a query of objects', query('deepObject', true)],
  ['a query of lists', query('form', false)],
  ['a query of members', query('form', true)],
  ['a query with JSON', { query: { a: { argument: 'value', content: 'application/json' } } }],
  ['a header', { header: { 'X-A': 'value' } }],
  ['a header with JSON', { header: { 'X-A': { argument: 'value', content: 'application/json' } } }],
  ['a cookie', { cookie: { a: 'value' } }],
  ['a JSON body', { body: { mediaType: 'application/json', argument: 'value' } }],
  ['a member of a JSON body', { body: { mediaType: 'application/json', members: { a: { members: { b: 'value' } } } } }],
  ['a form', { body: { mediaType: 'application/x-www-form-urlencoded', as: 'form', members: { a: 'value' } } }],
  [
    'a form of objects',
    {
      body: {
        mediaType: 'application/x-www-form-urlencoded',
        as: 'form',
        members: { a: { argument: 'value', style: 'deepObject', explode: true } },
      },
    },
  ],
  ['a body of parts', { body: { mediaType: 'multipart/form-data', as: 'multipart', members: { a: 'value' } } }],
  ['a text', { body: { mediaType: 'text/plain', as: 'text', argument: 'value' } }],
];

test.each(REQUESTS)('%s has a number with all digits where it has one with few', (_title, request) => {
  const path = request.path === undefined ? '/things' : '/things/{id}';
  const write = compileRequest({ operation: { id: 'a', method: 'POST', path, server: '' }, request }, () => 'boundary');
  for (const shape of SHAPES) {
    const written = (number: unknown): string => {
      try {
        const { target, headers, cookie, body } = write({ value: shape(number) });
        return JSON.stringify({ target, headers, cookie, body: String(body) });
      } catch (error) {
        return String(error);
      }
    };
    expect(written(toRawNumber(DIGITS))).toBe(written(7777).replaceAll('7777', DIGITS));
  }
});
