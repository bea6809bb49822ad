import { describe, expect, test } from 'vitest';
import { createCatalogue } from '../../../../../server/call/tools/catalogue/catalogue.ts';
import { findWithholdProblems, parseWithhold, withRules } from '../../../../../server/call/tools/catalogue/withheld.ts';
import type { ToolProvider } from '../../../../../server/call/tools/provider.ts';
import { createScopedTools } from '../../../../../server/call/tools/user-tools.ts';
import { loadConfig } from '../../../../../server/index.ts';
import { fakeConnector, fakeHandWritten, fakeTool } from '../../../../support/fake-connector.ts';
import { createContext, createPrincipal } from '../support.ts';

const PERSON = { properties: { name: {}, born: {} } };
const CONNECTORS = [
  fakeConnector({
    tools: [
      fakeTool({ name: 'library_get', output: PERSON }),
      fakeTool({
        name: 'library_list',
        output: { properties: { data: { items: PERSON }, next: {} } },
        more: { page: { argument: 'cursor', next: '/next', queryParameter: null, more: null, items: '/data' } },
      }),
    ],
    handWritten: [fakeHandWritten({ run: async () => ({ count: 1 }) })],
  }),
  fakeConnector({ name: 'archive', tools: [fakeTool({ name: 'archive_get', output: PERSON })] }),
];

describe('rules of the operator', () => {
  test.each([
    ['{', /^must be a JSON list of rules/],
    ['{}', /^must be a JSON list of rules/],
    ['[{"members":{}}]', /0\.service/],
    ['[{"service":"library","members":{"a.*":"drop"}}]', /0\.members/],
    ['[{"service":"library","members":{"a":"hide"}}]', /0\.members\.a/],
    ['[{"service":"library","member":{"a":"drop"}}]', /rules/],
  ])('%s cannot be read', (text, problem) => expect(() => parseWithhold(text)).toThrow(problem));

  test.each([
    [{ service: 'libary', members: {} }, ['names libary *, which is no generated tool of a service']],
    [
      { service: 'library', tool: 'archive_get', members: {} },
      ['names library archive_get, which is no generated tool of a service'],
    ],
    [
      { service: 'library', tool: 'library_survey', members: {} },
      ['names library library_survey, which is no generated tool of a service'],
    ],
    [
      { service: 'library', tool: 'library_get', members: { borm: 'drop' } },
      ['names borm, which no answer of library library_get has (did you mean born?)'],
    ],
    [{ service: 'library', members: { 'data.born': 'drop', born: 'drop' } }, []],
    [{ service: 'library', members: { '**.xyz': 'drop' } }, ['names **.xyz, which no answer of library * has']],
    [{ service: 'library', members: { next: 'drop' } }, ['withholds what says how the list of library_list goes on']],
  ] as const)('%j: %j', (rule, want) => expect(findWithholdProblems([rule], CONNECTORS)).toEqual(want));

  test('stop the gateway where a name in them is wrong, and may come from a file', () => {
    const env = { WITHHOLD: '[{"service":"library","members":{"borm":"drop"}}]' };
    expect(() => loadConfig({ connectors: CONNECTORS, env })).toThrow(/WITHHOLD names borm.*did you mean born/);
    expect(() => loadConfig({ connectors: CONNECTORS, env: { WITHHOLD_FILE: '/nowhere' } })).toThrow(
      /WITHHOLD_FILE names a file/,
    );
    expect(loadConfig({ connectors: CONNECTORS, env: {} }).withhold).toEqual([]);
  });

  test('reach the tools that they name, and leave the others the same objects', () => {
    const [library, archive] = withRules(CONNECTORS, [
      { service: 'library', tool: 'library_get', members: { born: 'drop' } },
      { service: 'library', tool: 'library_get', members: { name: 'replace', born: 'replace' } },
    ]);
    expect(archive).toBe(CONNECTORS[1]);
    expect(library?.tools[1]).toBe(CONNECTORS[0]?.tools[1]);
    expect(library?.tools[0]?.result?.withhold).toEqual({ born: 'drop', name: 'replace' });
    expect(library?.tools[0]?.outputSchema.properties).toEqual({ name: { description: 'Withheld.' } });
  });

  test('only take away more than the connector', () => {
    const [got] = CONNECTORS[0]!.tools;
    const own = {
      ...CONNECTORS[0]!,
      tools: [{ ...got!, result: { withhold: { born: 'drop', name: 'drop' } as const } }],
    };
    const [library] = withRules([own], [{ service: 'library', members: { born: 'replace' } }]);
    expect(library?.tools[0]?.result?.withhold).toEqual({ born: 'drop', name: 'drop' });
  });
});

describe('rules for some callers', () => {
  const RULES = [
    { service: 'library', members: { '**.born': 'drop' }, partner: 'acme' },
    { service: 'library', members: { '**.name': 'drop' }, client: 'https://c.example/id' },
    { service: 'archive', members: { born: 'drop' } },
  ] as const;

  function given() {
    const made: string[][] = [];
    const asked: string[] = [];
    const create = (rules: Parameters<typeof withRules>[1]): ToolProvider => {
      made.push(rules.flatMap(({ members }) => Object.keys(members)));
      const catalogue = createCatalogue(withRules(CONNECTORS, rules));
      const result = { content: [{ type: 'text', text: String(made.at(-1)) }] };
      return { list: catalogue.list, call: async () => result, dryRun: async () => ({ request: null, result }) };
    };
    const partnerOf = async (id: string) => {
      asked.push(id);
      return { 'row-1': 'acme', 'row-2': 'other' }[id];
    };
    const tools = createScopedTools(RULES, create, partnerOf);
    const listed = async (partnerId: string, clientId: string | null) => {
      const text = Buffer.from((await tools.list(createPrincipal({ partnerId, clientId }))).json).toString();
      return ['born', 'name"'].map((name) => text.includes(`"${name.replace('"', '')}":{}`));
    };
    return { made, asked, tools, listed };
  }

  test('give each caller the list of the rules that hold for it, whatever list was asked for before', async () => {
    const { listed, made, asked } = given();
    for (let round = 0; round < 2; round += 1) {
      expect(await listed('row-2', null)).toEqual([true, true]);
      expect(await listed('row-1', null)).toEqual([false, true]);
      expect(await listed('row-2', 'https://c.example/id')).toEqual([true, false]);
      expect(await listed('row-1', 'https://c.example/id')).toEqual([false, false]);
      expect(await listed('row-1', 'another')).toEqual([false, true]);
      expect(await listed('unknown', null)).toEqual([true, true]);
    }
    expect(made).toEqual([[], ['**.born'], ['**.name'], ['**.born', '**.name']]);
    expect(asked.filter((id) => id !== 'unknown')).toEqual(['row-2', 'row-1']);
  });

  test('do not listen to what a request says of its client', async () => {
    const { tools } = given();
    const principal = createPrincipal({ partnerId: 'row-1', clientId: null });
    const meta = {
      'io.modelcontextprotocol/clientInfo': { name: 'https://c.example/id' },
      clientId: 'https://c.example/id',
    };
    const args = { clientId: 'https://c.example/id', partner: 'other' };
    const ofPartner = { content: [{ type: 'text', text: '**.born' }] };
    expect(await tools.call(principal, 'library_get', args, createContext({ meta }))).toEqual(ofPartner);
    expect(await tools.dryRun(principal, 'library_get', args)).toEqual({ request: null, result: ofPartner });
  });

  test('cost nothing where there are none: there is one provider for each realm, and no partner is looked up', async () => {
    const made: string[] = [];
    const create = (rules: readonly unknown[], realm: string) => {
      made.push(`${realm} ${rules.length}`);
      const result = { content: [{ type: 'text', text: realm }] };
      return {
        list: () => ({ json: Buffer.from(realm) }),
        call: async () => result,
        dryRun: async () => ({ request: null, result }),
      };
    };
    const tools = createScopedTools([RULES[2]], create, () => Promise.reject(new Error('looked up')));
    for (const realm of ['live', 'test', 'live', 'test'] as const) {
      const principal = createPrincipal({ realm });
      expect(await tools.list(principal)).toEqual({ json: Buffer.from(realm) });
      const text = [{ type: 'text', text: realm }];
      expect(await tools.call(principal, 'library_get', {}, createContext())).toEqual({ content: text });
      expect((await tools.dryRun(principal, 'library_get', {})).result).toEqual({ content: text });
    }
    expect(made).toEqual(['live 0', 'test 0']);
  });
});
