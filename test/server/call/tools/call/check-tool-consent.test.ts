import { describe, expect, test } from 'vitest';
import { everyToolOf, FULL_PERMISSION } from '../../../../../server/base/principal/permission.ts';
import { createCatalogue } from '../../../../../server/call/tools/catalogue/catalogue.ts';
import type { UserToolsDependencies } from '../../../../../server/call/tools/user-tools.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import { createContext, createFixture, createPrincipal, errorOf, textOf } from '../support.ts';

const TOOLS = [
  fakeTool({ name: 'library_list' }),
  fakeTool({ name: 'library_add', method: 'POST' }),
  fakeTool({
    name: 'library_rename',
    method: 'POST',
    more: { aliases: [{ name: 'library_move', until: '2030-01-01' }] },
  }),
];
const SEEN = { library_list: 'reads library.example', library_add: 'reads library.example' };

const PAGES: UserToolsDependencies['pages'] = {
  states: { seal: (value) => JSON.stringify(value), open: (text) => JSON.parse(text) },
  consentLinks: {
    urlOf: ({ grantId, tool, facts }) => `https://gateway.example/${grantId}/${tool}/${facts}`,
    open: () => null,
  },
};

const client = { clientId: 'client-1', grantId: 'grant-1' };

async function outcomeOf(tool: string, permission: object, seen: object = SEEN): Promise<string> {
  let reads = 0;
  const seenFacts = () => {
    reads += 1;
    return Promise.resolve(seen as Record<string, string>);
  };
  const fixture = createFixture({ tools: TOOLS, changes: { seenFacts } });
  const result = await fixture.call(tool, {}, { principal: { permission: { ...FULL_PERMISSION, ...permission } } });
  await fixture.close();
  return `${errorOf(result).code} after ${reads}`;
}

describe('a tool that risks more than its grant allows', () => {
  test.each([
    ['passes where no facts were recorded', 'library_add', { seen: null }, 'upstream_unreachable after 0'],
    ['passes where it risks no more', 'library_list', { seen: 'old' }, 'upstream_unreachable after 1'],
    ['is stopped where it now writes', 'library_add', { seen: 'old' }, 'needs_approval after 1'],
    ['is stopped where it is new and writes', 'library_rename', { seen: 'old' }, 'needs_approval after 1'],
    [
      'passes where that was allowed later',
      'library_add',
      { seen: 'old', accepted: { library_add: 'writes library.example' } },
      'upstream_unreachable after 1',
    ],
    [
      'passes where that was allowed under its old name',
      'library_rename',
      { seen: 'old', accepted: { library_move: 'writes library.example' } },
      'upstream_unreachable after 1',
    ],
    [
      'is stopped where less was allowed later',
      'library_add',
      { seen: 'old', accepted: { library_add: 'writes other.example' } },
      'needs_approval after 1',
    ],
  ])('%s', async (_title, tool, permission, outcome) => {
    expect(await outcomeOf(tool, permission)).toBe(outcome);
  });

  test('is not compared while no tool changed', async () => {
    const seenFacts = () => {
      throw new Error('the facts were asked for');
    };
    const fixture = createFixture({ tools: TOOLS, changes: { seenFacts } });
    const seen = createCatalogue([fakeConnector({ tools: TOOLS })]).facts.hash;
    const result = await fixture.call('library_add', {}, { principal: { permission: { ...FULL_PERMISSION, seen } } });
    expect(errorOf(result).code).toBe('upstream_unreachable');
    await fixture.close();
  });

  const call = (context: object, principal: object = client) => {
    const fixture = createFixture({ tools: TOOLS, changes: { seenFacts: () => SEEN, pages: PAGES } });
    const permission = { ...FULL_PERMISSION, seen: 'old' };
    return fixture.provider.call(
      createPrincipal({ permission, ...principal }),
      'library_add',
      {},
      createContext(context),
    );
  };
  const url = 'https://gateway.example/grant-1/library_add/writes library.example';

  test('is reported with the address where the user allows it', async () => {
    const result = await call({ era: '2025' });
    if (result.resultType === 'input_required') throw new Error('a client of 2025 is asked');
    expect(textOf(result)).toContain(
      'library_add is riskier than what was allowed. It writes data. Before, it only read. Call again after the user has allowed it.',
    );
    expect(textOf(result)).toContain(`The user does that at ${url}`);
    expect(errorOf(result)).toMatchObject({
      retryable: false,
      details: { tool: 'library_add', allowed: 'reads library.example', now: 'writes library.example' },
    });
  });

  test('sends the user there in a client that can open addresses', async () => {
    expect(await call({ clientCapabilities: { elicitation: { url: {} } } })).toMatchObject({
      resultType: 'input_required',
      inputRequests: { allow: { method: 'elicitation/create', params: { mode: 'url', url } } },
    });
  });

  test('is allowed by the partner for its own token', async () => {
    const result = await call({ clientCapabilities: { elicitation: { url: {} } } }, { clientId: null });
    if (result.resultType === 'input_required') throw new Error('the partner has no page');
    expect(textOf(result)).toContain('after the application that owns this token has allowed it');
    expect(textOf(result)).not.toContain('https://');
  });
});

describe('a tool that the user excluded', () => {
  test.each([
    ['by its name', { without: ['library_add'] }, 'library_add'],
    ['by its old name', { without: ['library_move'] }, 'library_rename'],
    ['with its service', { without: [everyToolOf('library')] }, 'library_list'],
    ['because it is not in a frozen list', { only: ['library_list'] }, 'library_add'],
  ])('%s is not called', async (_title, permission, tool) => {
    expect(await outcomeOf(tool, permission)).toBe('not_allowed after 0');
  });

  test('a frozen list keeps a renamed tool', async () => {
    expect(await outcomeOf('library_rename', { only: ['library_move'] })).toBe('upstream_unreachable after 0');
  });
});

describe('a tool of an effect that the user did not agree to', () => {
  const FACTS = createCatalogue([fakeConnector({ tools: TOOLS })]).facts.byTool;
  const agreed = { writes: [] as string[], destroys: ['library'] };

  test.each([
    ['passes if it only reads', 'library_list', { agreed }, 'upstream_unreachable after 0'],
    ['is stopped', 'library_add', { agreed }, 'needs_approval after 0'],
    [
      'passes where the user agreed to it',
      'library_add',
      { agreed: { ...agreed, writes: ['library'] } },
      'upstream_unreachable after 0',
    ],
    [
      'is stopped where the user agreed for another service',
      'library_add',
      { agreed: { ...agreed, writes: ['mailer'] } },
      'needs_approval after 0',
    ],
    [
      'passes where the user allowed the tool',
      'library_add',
      { agreed, accepted: { library_add: FACTS.library_add } },
      'upstream_unreachable after 0',
    ],
    [
      'passes where the user allowed it under its old name',
      'library_rename',
      { agreed, accepted: { library_move: FACTS.library_rename } },
      'upstream_unreachable after 0',
    ],
    [
      'is stopped where the user allowed less',
      'library_add',
      { agreed, accepted: { library_add: 'reads library.example' } },
      'needs_approval after 0',
    ],
    [
      'is stopped where the user allowed another host',
      'library_add',
      { agreed, accepted: { library_add: 'writes old.example' } },
      'needs_approval after 0',
    ],
    ['is stopped by its old name', 'library_move', { agreed }, 'needs_approval after 0'],
  ])('%s', async (_title, tool, permission, outcome) => {
    expect(await outcomeOf(tool, permission)).toBe(outcome);
  });

  test('is listed for its client with a mark, is not among the callable, and loses the mark once it is allowed', () => {
    const catalogue = createCatalogue([fakeConnector({ tools: TOOLS })]);
    const accessWith = (permission: object) => ({
      clientId: 'client-1',
      scopes: ['tools:read', 'tools:write'] as const,
      services: ['library'],
      permission: { ...FULL_PERMISSION, ...permission },
    });
    const marked = (permission: object) =>
      (JSON.parse(String(catalogue.list(accessWith(permission)).json)) as { name: string; description: string }[]).map(
        ({ name, description }) => `${name}${description.startsWith('Needs write access: ') ? ' asks' : ''}`,
      );
    expect(marked({})).toEqual(['library_add', 'library_list', 'library_rename']);
    expect(marked({ agreed })).toEqual(['library_add asks', 'library_list', 'library_rename asks']);
    expect(marked({ agreed, accepted: { library_add: FACTS.library_add } })).toEqual([
      'library_add',
      'library_list',
      'library_rename asks',
    ]);
    expect(catalogue.names(accessWith({ agreed }))).toEqual(['library_list']);
  });
});
