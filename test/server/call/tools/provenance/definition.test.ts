import { describe, expect, test } from 'vitest';
import { type Access, FULL_PERMISSION } from '../../../../../server/base/principal/permission.ts';
import { createCatalogue } from '../../../../../server/call/tools/catalogue/catalogue.ts';
import { loadConnectors } from '../../../../../server/call/tools/catalogue/connectors.ts';
import { definitionsOf, withProvenance } from '../../../../../server/call/tools/catalogue/provenance.ts';
import type { Connector } from '../../../../../server/contract/index.ts';
import { fakeConnector, fakeHandWritten, fakeTool } from '../../../../support/fake-connector.ts';

const LIST = fakeTool({ name: 'library_list' });
const GET = fakeTool({ name: 'library_get', path: '/things/{id}' });
const SURVEY = fakeHandWritten({ run: async () => ({}) });

const skill = (description: string) => ({
  frontmatter: { name: 'tidy', description },
  tools: ['library_list'],
  files: { 'SKILL.md': description },
});

const library = (parts: Partial<Connector> = {}): Connector => ({
  ...fakeConnector({ tools: [LIST, GET] }),
  handWritten: [SURVEY],
  skills: { tidy: skill('Tidies.') },
  ...parts,
});

const changed = (parts: Partial<Connector>): string[] => {
  const now = definitionsOf(library(parts));
  return [...definitionsOf(library())].filter(([name, digest]) => now.get(name) !== digest).map(([name]) => name);
};

describe('the digest of a definition', () => {
  test.each<[string, Partial<Connector>, string[]]>([
    ['nothing', {}, []],
    ['the description of the service', { title: 'Other', description: 'Other.', categories: ['Data'] }, []],
    ['a description', { tools: [LIST, { ...GET, description: 'Other.' }] }, ['library_get']],
    ['a path', { tools: [LIST, fakeTool({ name: 'library_get', path: '/other/{id}' })] }, ['library_get']],
    ['the code of a hand-written tool', { handWritten: [{ ...SURVEY, code: '111111111111' }] }, ['library_survey']],
    ['a skill', { skills: { tidy: skill('Deletes.') } }, ['skill://library/tidy']],
    [
      'a tool that a hand-written one uses',
      { tools: [{ ...LIST, outputSchema: { type: 'object', properties: {} } }, GET] },
      ['library_list', 'library_survey'],
    ],
    [
      'a server of the service',
      { servers: [{ url: 'https://other.example', variables: [] }] },
      ['library_get', 'library_list', 'library_survey'],
    ],
  ])('shows which tools a change to %s affects', (_, parts, names) => {
    expect(changed(parts)).toEqual(names);
  });

  test('does not depend on the order of members in a file', () => {
    const turned = Object.fromEntries(Object.entries(GET).reverse()) as unknown as typeof GET;
    expect(changed({ tools: [LIST, turned] })).toEqual([]);
  });

  test('covers the definition and not what the gateway adds to it', () => {
    expect(definitionsOf(withProvenance(library()))).toEqual(definitionsOf(library()));
  });
});

test('a list names the definition of each tool', async () => {
  const connectors = (await loadConnectors()).map(withProvenance);
  const { list } = createCatalogue(connectors);
  const services = connectors.map(({ name }) => name);
  const access: Access = {
    services,
    scopes: ['tools:read', 'tools:write'],
    clientId: null,
    permission: FULL_PERMISSION,
  };
  const { json } = list(access);
  const listed = JSON.parse(Buffer.from(json).toString('utf8')) as { name: string; _meta: object }[];
  expect(listed).toHaveLength(68);
  for (const { _meta } of listed) {
    expect(_meta).toEqual({ 'unified-tool-gateway/definition': expect.stringMatching(/^sha256:[\w-]{43}$/) });
  }
});
