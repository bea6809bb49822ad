import { describe, expect, test } from 'vitest';
import { accessOf, explainAllRules, explainRules, mayUseService } from '../../../packages/portal/rules/access.ts';
import { parseRules } from '../../../packages/portal/rules/load.ts';
import { toLocalPath } from '../../../packages/portal/sign-in/routes.ts';

const RULES = parseRules(
  `groups:
  sales:
    services: [crm]
    effects: [reads, writes]
    accounts: { crm: [Work] }
    approval: [send]
    catalogue: search
  support: { services: [desk], approval: [destroy], catalogue: code }
  it: { effects: [reads], admin: true }
default: { services: [wiki] }
`,
  'rules.yaml',
);

describe('the access of a person', () => {
  test('is the union of the rules for their groups, in the order of the file', () => {
    const access = accessOf(['support', 'unknown', 'sales'], RULES);
    expect(access.allows?.map(({ services, effects }) => [services, effects])).toEqual([
      [['crm'], ['reads', 'writes']],
      [['desk'], ['reads']],
    ]);
    expect([access.approval, access.catalogue, access.admin]).toEqual([['destroy', 'send'], 'search', false]);
    expect(['crm', 'desk', 'wiki'].map((service) => mayUseService(access, service))).toEqual([true, true, false]);
  });

  test('is the default without a group that has a rule, and nothing without a default', () => {
    expect(accessOf(['unknown'], RULES).allows?.map(({ services }) => services)).toEqual([['wiki']]);
    expect(accessOf(['unknown'], { ...RULES, default: null }).allows).toEqual([]);
    expect(accessOf(['Sales'], { ...RULES, default: null }).allows).toEqual([]);
  });

  test('is everything without a rules file, and administers nothing', () => {
    expect(accessOf(['it'], null)).toEqual({ allows: null, approval: [], catalogue: null, admin: false });
  });

  test('is explained by rule', () => {
    expect(explainRules(['it', 'sales'], RULES).map(({ group, why }) => [group, why])).toEqual([
      ['sales', 'You are in the group sales.'],
      ['it', 'You are in the group it.'],
    ]);
    expect(explainRules([], RULES).map(({ group }) => group)).toEqual([null]);
    expect(explainAllRules(RULES).map(({ group }) => group)).toEqual(['sales', 'support', 'it', null]);
  });
});

describe('the rules file', () => {
  test.each([
    [
      'groups:\n  a:\n    effects: [reads, deletes]\n',
      'rules.yaml:3: groups.a.effects.1 must be some of reads, writes, destroys',
    ],
    ['groups:\n  a:\n    service: [crm]\n', 'rules.yaml:3: groups.a has the unknown member service: use services'],
    ['groups:\n  a: { services: [] }\n', 'rules.yaml:2: groups.a.services must name a service'],
    ['group: {}\n', 'rules.yaml:1: groups must be a map'],
    ['groups:\n  a: { admin: yes please }\n', 'rules.yaml:2: groups.a.admin must be true or false'],
    [
      'groups:\n  a:\n    services: [crm]\n    accounts: { crn: [work] }\n',
      'rules.yaml:4: groups.a.accounts.crn must be one of services',
    ],
    [
      `groups:\n  a: {}\n  b:\n    tools: [${Array.from({ length: 300 }, (_, index) => `crm_${'x'.repeat(60)}_${index}`)}]\n`,
      'rules.yaml:4: groups.b has more than the 16000 bytes that the gateway can keep: name fewer tools',
    ],
    ['groups: {\n', 'which is no YAML'],
    ['groups: { a: *b }\n', 'rules.yaml, which is no YAML: Unresolved alias'],
    ['groups:\n  a: {}\n  a: {}\n', 'which is no YAML: Map keys must be unique'],
  ])('%j is refused with its place and the way out', (text, problem) => {
    expect(() => parseRules(text, 'rules.yaml')).toThrow(problem);
  });
});

test('a sign-in returns to pages of the portal alone', () => {
  const origin = 'https://portal.example.com';
  expect(toLocalPath('/clients?client=claude', origin)).toBe('/clients?client=claude');
  const elsewhere = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/\t/evil.example',
    '/../..//evil.example',
  ];
  for (const next of [...elsewhere, '', 'clients', '/sign-in?next=/', '/sign-out', '/%0d\r\nx']) {
    expect(toLocalPath(next, origin), next).toBe('/');
  }
});
