import { describe, expect, it } from 'vitest';
import { build, operation, parameter, service } from '../service.ts';

const get = (id: string, path: string, schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {}) =>
  operation({
    id,
    path,
    parameters: [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) =>
      parameter(name, { in: 'path', schema: schemas[name] ?? { type: 'string' } }),
    ),
  });

function reservedOf(path: string, others: readonly string[], schemas = {}) {
  const operations = [get('wanted', path, schemas), ...others.map((other, index) => get(`other${index}`, other))];
  const { connector } = build(service(operations), {
    expose: 'listed',
    tools: { shop_wanted: { operation: 'wanted' } },
  });
  return connector.tools[0]?.reservedSegments;
}

describe('reserved segments of a path argument', () => {
  it('are the literals in its place, including those of longer paths and of operations without a tool', () => {
    const others = ['/contacts/upsert', '/contacts/batches/{batch_id}', '/lists/all', '/contacts/{id}/notes'];
    expect(reservedOf('/contacts/{contact_id}', others)).toEqual({ contactId: ['batches', 'upsert'] });
  });

  it('follow the same literals, whatever the names of earlier parameters', () => {
    const others = ['/brands/{id}/contacts/upsert', '/teams/{id}/contacts/import', '/brands/all/contacts/merge'];
    expect(reservedOf('/brands/{brand_id}/contacts/{contact_id}', others)).toEqual({
      brandId: ['all'],
      contactId: ['upsert'],
    });
  });

  it('do not include the text around the parameter in its segment', () => {
    const others = ['/tables/index.json', '/tables/search', '/tables/.json'];
    expect(reservedOf('/tables/{table}.json', others)).toEqual({ table: ['index'] });
  });

  it('are empty for a number, and do not include values of its enum', () => {
    expect(reservedOf('/people/{person_id}', ['/people/fields'], { person_id: { type: 'integer' } })).toEqual({});
    expect(reservedOf('/users/{user}', ['/users/me'], { user: { type: 'string', enum: ['me', 'you'] } })).toEqual({});
  });
});
