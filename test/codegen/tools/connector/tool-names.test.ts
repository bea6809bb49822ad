import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  nameTools,
  operationKey,
  toDefaultToolName,
  toToolPrefix,
} from '../../../../codegen/tools/connector/tool-names.ts';
import { build, operation, service } from '../service.ts';

describe('default tool names', () => {
  it.each([
    ['the operationId in snake_case', { id: 'getDocumentChunks' }, 'shop_get_document_chunks'],
    ['an operationId with slashes and dashes', { id: 'repos/list-for-org' }, 'shop_repos_list_for_org'],
    ['an operationId without a usable letter as the path', { id: '名前', path: '/a' }, 'shop_get_a'],
    ['method and path without an operationId', { id: null, path: '/documents/chunks' }, 'shop_get_documents_chunks'],
    ['a final path parameter', { id: null, path: '/documents/{document_id}' }, 'shop_get_documents_by_document_id'],
    ['a path parameter in the middle', { id: null, path: '/documents/{id}/chunks' }, 'shop_get_documents_chunks'],
    ['the root path', { id: null, path: '/' }, 'shop_get'],
    ['forty characters unabridged', { id: 'listSelectedRepositoriesForTheTeam' }, 'shop_list_selected_repos_team'],
    [
      'long names without fillers, repetitions and with usual abbreviations',
      { id: 'shop-list-organization-repositories-for-the-authenticated-organization' },
      'shop_list_org_repos_authed',
    ],
  ])('take %s', (_title, over, want) => {
    expect(toDefaultToolName('shop', operation(over))).toBe(want);
  });

  it('longer than 58 characters end in a digest of method and path', () => {
    const id = Array.from({ length: 12 }, (_, index) => `wonderful${String.fromCharCode(97 + index)}`).join('_');
    const name = toDefaultToolName('shop', operation({ id }));
    expect(name).toMatch(/^shop_wonderfula_.*_[0-9a-f]{6}$/);
    expect(name.length).toBeLessThanOrEqual(58);
    expect(toDefaultToolName('shop', operation({ id, path: '/other' }))).not.toBe(name);
  });

  it.each([
    ['retrieval', 'retrieval'],
    ['usage-billing', 'usage_billing'],
    ['3scale', 'api_3scale'],
  ])('of the folder %s begin with %s', (folder, want) => {
    expect(toToolPrefix(folder)).toBe(want);
  });

  it('that meet all get a digest, whoever comes first', () => {
    const one = operation({ id: 'list_things', path: '/a' });
    const two = operation({ id: 'listThings', path: '/b' });
    const names = nameTools('shop', [one, two], new Set()).names;
    expect(Object.fromEntries(names)).toEqual({
      'GET /a': 'shop_list_things_f302df',
      'GET /b': 'shop_list_things_db789e',
    });
    expect(nameTools('shop', [two, one], new Set()).names).toEqual(new Map(names));
  });

  it('give way to a tool of connector.yaml', () => {
    const { names, collisions } = nameTools('shop', [operation()], new Set(['shop_list_things']));
    expect(names.get('GET /things')).toMatch(/^shop_list_things_[0-9a-f]{6}$/);
    expect([...collisions.keys()]).toEqual(['shop_list_things']);
  });

  it('are unique, legal and independent of order for any operations', () => {
    const anyOperation = fc.record({
      id: fc.option(
        fc.oneof(
          fc.constantFrom('listThings', 'list_things', 'LIST-THINGS', 'x'.repeat(70), `${'y_'.repeat(40)}a`, '名前'),
          fc.string({ maxLength: 120 }),
        ),
      ),
      method: fc.constantFrom('GET', 'POST', 'DELETE'),
      path: fc.array(fc.constantFrom('a', 'b', '{id}', 'long-segment'), { maxLength: 6 }).map((s) => `/${s.join('/')}`),
    });
    fc.assert(
      fc.property(fc.uniqueArray(anyOperation, { selector: (o) => `${o.method} ${o.path}` }), (list) => {
        const operations = list.map((over) => operation(over as Parameters<typeof operation>[0]));
        const taken = new Set(['shop_list_things']);
        const { names } = nameTools('shop', operations, taken);
        const values = [...names.values()];
        expect(new Set([...values, ...taken]).size).toBe(operations.length + 1);
        for (const name of values) expect(name).toMatch(/^[a-z][a-z0-9_]{0,57}$/);
        const again = nameTools('shop', operations.toReversed(), taken).names;
        for (const one of operations) expect(again.get(operationKey(one))).toBe(names.get(operationKey(one)));
      }),
      { numRuns: 500 },
    );
  });
});

describe('names in a connector', () => {
  it('longer than 40 characters are a warning that names the tool and the place', () => {
    const id = 'listWonderfulThingsThatNobodyWouldEverAbbreviate';
    const { problems, tool } = build(service([operation({ id })]));
    expect(tool.name).toBe('shop_list_wonderful_things_nobody_would_ever_abbreviate');
    expect(problems).toEqual([
      {
        code: 'profile-degraded',
        file: 'specs/shop/openapi.yaml',
        pointer: '/paths/~1things/get',
        message:
          'shop_list_wonderful_things_nobody_would_ever_abbreviate breaks ' +
          'claude/full-name-length, openai/full-name-length, gemini/full-name-length, cursor/full-name-length: ' +
          '/name makes 79 of at most 64 characters in mcp__<server>__<tool>, with 17 for <server>; ' +
          '/name makes 77 of at most 63 characters in mcp_<server>_<tool>, with 17 for <server>; ' +
          '/name makes 72 of at most 59 characters in <server><tool>, with 17 for <server>.',
        fix:
          'Give the tool a shorter name in connector.yaml. Or accept claude/full-name-length, ' +
          'openai/full-name-length, gemini/full-name-length, cursor/full-name-length under profiles.accept, with the reason.',
      },
    ]);
  });

  it('do not change when a hidden operation appears beside them', () => {
    const visible = operation({ id: 'a', path: '/a' });
    const before = build(service([visible]));
    const after = build(service([visible, operation({ id: 'b', path: '/b' })]), {
      notExposed: { b: 'Not for models.' },
    });
    expect(after.connector.tools.map(({ name }) => name)).toEqual(before.connector.tools.map(({ name }) => name));
  });

  it('take the prefix of connector.yaml', () => {
    expect(build(service([operation()]), { toolPrefix: 'store' }).tool.name).toBe('store_list_things');
  });
});
