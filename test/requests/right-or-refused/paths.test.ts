import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DONE, type Service, startService } from './service.ts';

const text = { type: 'string' };
const inPath = (name: string) => ({ name, in: 'path', required: true, schema: text });
const inQuery = (name: string, schema: object = text, required = true) => ({ name, in: 'query', required, schema });
const get = (operationId: string, ...parameters: object[]) => ({ get: { operationId, parameters, ...DONE } });

let service: Service;
beforeAll(async () => {
  service = await startService({
    paths: {
      '/{bucket}': get('bucket', inPath('bucket')),
      '/{bucket}#tagging': get('tags', inPath('bucket'), inQuery('tagging', { type: 'boolean' })),
      '/{bucket}#lost': get('lost', inPath('bucket')),
      '/{bucket}?policy': get('policy', inPath('bucket')),
      '/{bucket}?acl&x=a b': get('acl', inPath('bucket'), inQuery('x', { enum: ['a b'] }), inQuery('y', text, false)),
      '/{bucket}?x=wrong': get('wrong', inPath('bucket'), inQuery('x', { enum: ['right'] })),
      '/search?q={q}&kind={kind}': get('search', inQuery('q'), inPath('kind')),
      '/pair/{a}{b}': get('pair', inPath('a'), inPath('b')),
      '/odd/{user-id.x}/end/': get('odd', inPath('user-id.x')),
      '/a//b': get('empty'),
      '/a%2Fb/100%/ü b': get('encoded'),
      '/only#fragment': get('only'),
      '/lone/{brace': get('brace'),
    },
  });
}, 60_000);
afterAll(() => service?.close());

describe('a key of paths', () => {
  test('compiles', () => {
    expect(service.errors).toEqual([]);
  });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['bucket', { bucket: 'b' }, '/b'],
    ['tags', { bucket: 'b' }, '/b?tagging=true'],
    ['policy', { bucket: 'b' }, '/b?policy'],
    ['acl', { bucket: 'b', y: '1' }, '/b?acl&x=a%20b&y=1'],
    ['search', { q: 'a&b', kind: 'x/y' }, '/search?kind=x%2Fy&q=a%26b'],
    ['pair', { a: '1', b: '2' }, '/pair/12'],
    ['odd', { userIdX: 'u' }, '/odd/u/end/'],
    ['empty', {}, '/a//b'],
    ['encoded', {}, '/a%2Fb/100%25/%C3%BC%20b'],
    ['only', {}, '/only'],
  ])('is sent right: %s', async (tool, args, want) => {
    expect((await service.host.call(`forms_${tool}`, args)).url).toBe(want);
  });

  test('does not become a tool if it would send another request', () => {
    const names = service.connector.tools.map(({ name }) => name);
    expect(names.filter((name) => /lost|wrong|brace/.test(name))).toEqual([]);
    expect(service.diagnostics.filter((line) => line.startsWith('path-unsendable'))).toEqual([
      'path-unsendable GET /{bucket}#lost differs from another operation by its fragment alone, which HTTP does not send.',
      'path-unsendable GET /{bucket}?x=wrong sends x=wrong, which the parameter x does not allow.',
      'path-unsendable GET /lone/{brace has a brace without its pair.',
    ]);
  });
});
