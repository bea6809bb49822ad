import { describe, expect, test } from 'vitest';
import { operationOf } from './model-of.ts';

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

function encodingOf(mediaType: string, encoding: unknown, openapi = '3.1.0', components = {}): unknown {
  const content = { [mediaType]: { schema: { type: 'object' }, encoding } };
  const operation = { responses: {}, requestBody: { content } };
  return operationOf(operation, {}, { openapi, components }).operation.body?.contents[0]?.encoding;
}

const none = { contentTypes: [], style: null, headers: [] };

describe('an Encoding Object (OpenAPI 3.1 §4.8.15)', () => {
  test.each<[title: string, mediaType: string, given: object, want: object]>([
    ['is empty by default', FORM, {}, none],
    [
      'lists media types and ranges',
      MULTIPART,
      { contentType: 'image/png, image/*' },
      { ...none, contentTypes: ['image/png', 'image/*'] },
    ],
    [
      'has a style',
      FORM,
      { style: 'deepObject', explode: true },
      { ...none, style: { style: 'deepObject', explode: true, allowReserved: false } },
    ],
    [
      'explodes the style form by default',
      FORM,
      { allowReserved: true },
      { ...none, style: { style: 'form', explode: true, allowReserved: true } },
    ],
    [
      'explodes no other style by default',
      FORM,
      { style: 'pipeDelimited' },
      { ...none, style: { style: 'pipeDelimited', explode: false, allowReserved: false } },
    ],
    [
      'has the style form where it only sets explode',
      FORM,
      { explode: false },
      { ...none, style: { style: 'form', explode: false, allowReserved: false } },
    ],
    [
      'has no content type next to a style',
      MULTIPART,
      { style: 'form', contentType: 'text/csv' },
      { ...none, style: { style: 'form', explode: true, allowReserved: false } },
    ],
    [
      'has the headers of a part, without Content-Type',
      MULTIPART,
      { headers: { 'X-A': { required: true }, 'X-B': {}, 'content-type': {} } },
      {
        ...none,
        headers: [
          { name: 'X-A', required: true },
          { name: 'X-B', required: false },
        ],
      },
    ],
    ['has no headers in a form', FORM, { headers: { 'X-A': { required: true } } }, none],
  ])('%s', (_title, mediaType, given, want) => {
    expect(encodingOf(mediaType, { a: given })).toEqual({ a: want });
  });

  test('follows the references of headers', () => {
    const components = { headers: { A: { required: true, schema: { type: 'string' } } } };
    const given = { a: { headers: { 'X-A': { $ref: '#/components/headers/A' } } } };
    expect(encodingOf(MULTIPART, given, '3.1.0', components)).toEqual({
      a: { ...none, headers: [{ name: 'X-A', required: true }] },
    });
  });

  test('has no style in a multipart body of OpenAPI 3.0', () => {
    const given = { a: { style: 'deepObject', contentType: 'text/csv' } };
    expect(encodingOf(MULTIPART, given, '3.0.4')).toEqual({ a: { ...none, contentTypes: ['text/csv'] } });
    expect(encodingOf(FORM, given, '3.0.4')).toMatchObject({ a: { style: { style: 'deepObject' } } });
  });

  test('applies only to forms and multipart bodies', () => {
    expect(encodingOf('application/json', { a: { style: 'form' } })).toBeUndefined();
    expect(encodingOf(FORM, undefined)).toBeUndefined();
  });
});
