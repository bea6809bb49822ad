import { describe, expect, test } from 'vitest';
import { createCatalogue } from '../../../../../server/call/tools/catalogue/catalogue.ts';
import { findRisks, findSeenFacts } from '../../../../../server/call/tools/catalogue/facts.ts';
import type { Tool } from '../../../../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';

const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
const factsOf = (...tools: Tool[]) => createCatalogue([fakeConnector({ tools })]).facts;

describe('the facts of a catalogue', () => {
  const list = fakeTool({ name: 'library_list' });
  const add = fakeTool({ name: 'library_add', method: 'POST' });
  const remove = fakeTool({ name: 'library_remove', more: { annotations: DESTROYS } });

  test('contain the effect of each tool and the host of its default base URL', () => {
    expect(factsOf(list, remove, add).byTool).toEqual({
      library_add: 'writes library.example',
      library_list: 'reads library.example',
      library_remove: 'destroys library.example',
    });
  });

  test('have the same hash for any order of tools and any descriptions', () => {
    const { hash } = factsOf(list, add);
    expect(factsOf(add, { ...list, title: 'Other', description: 'Other words.' }).hash).toBe(hash);
    expect(factsOf(add).hash).not.toBe(hash);
    expect(factsOf(add, { ...list, annotations: DESTROYS }).hash).not.toBe(hash);
  });

  test('stay readable where the operator sets a base URL', () => {
    const connector = { ...fakeConnector({ tools: [list] }), servers: [{ url: '{library_base_url}', variables: [] }] };
    expect(createCatalogue([connector]).facts.byTool).toEqual({ library_list: 'reads {library_base_url}' });
  });
});

describe('a change that needs approval again', () => {
  test.each([
    ['a reader that still only reads', 'reads a.example', 'reads a.example', []],
    ['a writer that now only reads', 'writes a.example', 'reads a.example', []],
    ['a destructive tool that now only writes', 'destroys a.example', 'writes a.example', []],
    ['a new reader', undefined, 'reads a.example', []],
    ['a new writer', undefined, 'writes a.example', ['It is new, and it writes data.']],
    ['a new destructive tool', undefined, 'destroys a.example', ['It is new, and it destroys data.']],
    ['a reader that now writes', 'reads a.example', 'writes a.example', ['It writes data. Before, it only read.']],
    [
      'a writer that is now destructive',
      'writes a.example',
      'destroys a.example',
      ['It destroys data. Before, it wrote, and destroyed nothing.'],
    ],
    [
      'another host',
      'reads a.example',
      'reads b.example',
      ['It calls b.example, with your credential. Before, it called a.example.'],
    ],
  ])('%s', (_title, seen, now, risks) => {
    expect(findRisks(seen, now)).toEqual(risks);
  });

  test('a tool that was renamed is compared with its old name', () => {
    const renamed = fakeTool({
      name: 'library_new',
      more: { aliases: [{ name: 'library_old', until: '2030-01-01' }] },
    });
    expect(findSeenFacts({ library_old: 'reads a.example' }, renamed)).toBe('reads a.example');
    expect(findSeenFacts({ toString: 'x' }, fakeTool({ name: 'constructor' }))).toBeUndefined();
  });
});
