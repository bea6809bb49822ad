import { describe, expect, it } from 'vitest';
import { FULL_PERMISSION } from '../../../../../server/base/principal/permission.ts';
import { createCatalogue } from '../../../../../server/call/tools/catalogue/catalogue.ts';
import type { ToolList } from '../../../../../server/call/tools/provider.ts';
import { accessTo } from '../../../../support/access.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'].map((letter) => `library_${letter}`);
const catalogueOf = (names: readonly string[], pageTools: number) =>
  createCatalogue([fakeConnector({ tools: names.map((name) => fakeTool({ name })) })], { pageTools });
const ACCESS = accessTo(['library']);

const namesOf = ({ json }: ToolList): string[] =>
  (JSON.parse(Buffer.from(json).toString('utf8')) as { name: string }[]).map(({ name }) => name);

function walk(catalogue: ReturnType<typeof catalogueOf>, access = ACCESS): string[][] {
  const pages: string[][] = [];
  for (let cursor: string | undefined | null = null; cursor !== undefined; ) {
    const page = catalogue.list(access, cursor);
    pages.push(namesOf(page));
    cursor = page.nextCursor;
  }
  return pages;
}

const cursorOf = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

describe('pages of a list', () => {
  it.each([
    [1, [['library_a'], ['library_b'], ['library_c'], ['library_d'], ['library_e']]],
    [2, [['library_a', 'library_b'], ['library_c', 'library_d'], ['library_e']]],
    [5, [NAMES]],
    [1000, [NAMES]],
  ])('of %i tools contain every tool once, in order', (pageTools, pages) => {
    expect(walk(catalogueOf(NAMES, pageTools))).toEqual(pages);
  });

  it('are cached', () => {
    const catalogue = catalogueOf(NAMES, 2);
    const { nextCursor = '' } = catalogue.list(ACCESS);
    expect(catalogue.list(ACCESS, nextCursor)).toBe(catalogue.list(ACCESS, nextCursor));
  });

  it('continue where a gateway with other tools and page sizes stopped', () => {
    const { nextCursor = '' } = catalogueOf(['library_a', 'library_bb'], 1).list(ACCESS);
    expect(namesOf(catalogueOf(NAMES, 3).list(ACCESS, nextCursor))).toEqual(NAMES.slice(1, 4));
    expect(namesOf(catalogueOf(NAMES, 3).list(ACCESS, cursorOf('1library_bb')))).toEqual(NAMES.slice(2));
    expect(namesOf(catalogueOf(NAMES, 3).list(ACCESS, cursorOf('1library_z')))).toEqual([]);
  });

  it('show only what the current user may call, with the cursor of another user', () => {
    const catalogue = catalogueOf(NAMES, 2);
    const { nextCursor = '' } = catalogue.list(ACCESS);
    const permission = { ...FULL_PERMISSION, only: ['library_e'] };
    expect(namesOf(catalogue.list(accessTo(['library'], { permission }), nextCursor))).toEqual(['library_e']);
    expect(namesOf(catalogue.list(accessTo([]), nextCursor))).toEqual([]);
    expect(namesOf(catalogue.list(accessTo(['library'], { scopes: [] }), nextCursor))).toEqual([]);
  });

  it('have all tools of a compact list, including describe_tools', () => {
    const access = accessTo(['library'], { permission: { ...FULL_PERMISSION, catalogue: 'compact' } });
    expect(walk(catalogueOf(NAMES, 2), access).flat()).toEqual(['describe_tools', ...NAMES]);
  });

  it('are not needed in search mode', () => {
    const access = accessTo(['library'], { permission: { ...FULL_PERMISSION, catalogue: 'search' } });
    expect(walk(catalogueOf(NAMES, 10), access)).toHaveLength(1);
  });

  it.each([
    ['nothing', ''],
    ['a letter', 'x'],
    ['an unencoded name', 'library_a'],
    ['another version', cursorOf('2library_a')],
    ['an empty name', cursorOf('1')],
    ['a name that no tool can have', cursorOf('1library a')],
    ['a name that is too long', cursorOf(`1${'a'.repeat(65)}`)],
    ['padding', `${cursorOf('1library_a')}=`],
    ['a million letters', 'M'.repeat(1_000_000)],
  ])('reject a cursor of %s', (_title, cursor) => {
    expect(() => catalogueOf(NAMES, 2).list(ACCESS, cursor)).toThrow('Invalid cursor');
  });
});
