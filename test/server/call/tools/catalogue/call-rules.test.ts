import { expect, test } from 'vitest';
import {
  createFindCallRules,
  findCallRuleProblems,
  parseCallRules,
} from '../../../../../server/call/tools/catalogue/call-rules.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';

const BURN = fakeTool({ name: 'library_burn', method: 'DELETE' });
const LIST = fakeTool({ name: 'library_list' });
const connector = fakeConnector({ tools: [BURN, LIST] });

test.each([
  ['tool:library_burn', 'has "tool:library_burn", and a rule consists of calls'],
  ['burn 1/day/user', 'has "burn 1/day/user"'],
  ['write 0/day/user', 'has "write 0/day/user"'],
  ['write 5/week/user', 'has "write 5/week/user"'],
  ['write 5/day/user, write 6/day/user', 'has two rules "write day/user"'],
  [`${'write 5/day/user,'.repeat(51)}`, 'has more than 50 rules'],
])('%s is no list of rules', (text, problem) => {
  expect(() => parseCallRules(text)).toThrow(problem);
});

test('a rule names tools and services that exist', () => {
  const rules = parseCallRules('tool:library_bur 1/day/user, service:shop 1/day/user, tool:library_list 1/day/user');
  expect(findCallRuleProblems(rules, [connector])).toEqual([
    'names tool:library_bur, which the gateway does not have (did you mean tool:library_burn?)',
    'names service:shop, which the gateway does not have',
  ]);
});

test('a tool is limited by its name, its service and its effects, and the lowest of equal rules holds', () => {
  const operator = parseCallRules('service:library 9/day/user, read 8/day/user, destroy 7/hour/client');
  const find = createFindCallRules(operator, new Map([['library_burn', ['destroy', 'write']]]));
  const namesOf = (tool: typeof BURN, callLimits: string | null) =>
    find({ callLimits }, { connector, tool }).map(({ text }) => text);
  expect(namesOf(LIST, null)).toEqual(['service:library 9/day/user', 'read 8/day/user']);
  expect(namesOf(BURN, null)).toEqual(['service:library 9/day/user', 'destroy 7/hour/client']);
  expect(namesOf(LIST, 'service:library 3/day/user, tool:library_list 1/day/partner')).toEqual([
    'service:library 3/day/user',
    'read 8/day/user',
    'tool:library_list 1/day/partner',
  ]);
  expect(namesOf(LIST, 'service:library 30/day/user')).toContain('service:library 9/day/user');
});
