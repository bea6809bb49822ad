/** Rules of a partner about the number of calls of its users. */

import { z } from 'zod';
import { listHighestCounts } from '../base/store/repositories/limits/call-counts.ts';
import { findPartner, type Partner } from '../base/store/repositories/partners.ts';
import { findCallRuleProblems, MAX_CALL_RULES, parseCallRules } from '../call/tools/catalogue/call-rules.ts';
import { changePartner } from '../identity/partners/manage.ts';
import { invalid, operation, type PartnerApi } from './operation.ts';

const RULE_TEXT =
  'such as `tool:crm_send_mail 50/day/user`: `tool:<name>`, `service:<name>`, `read`, `write`, `destroy`, `send` or `pay`; a number; `minute`, `hour` or `day` (UTC); and `user`, `client` (one client of a user) or `partner` (all your users together).';

const rules = z.object({
  rules: z.array(
    z
      .object({
        rule: z.string().meta({ description: `The rule, ${RULE_TEXT}` }),
        set_by: z.enum(['operator', 'partner']),
        used: z.int().meta({
          description: 'The highest number of calls that it counts now, of any user or client of yours that it counts.',
        }),
      })
      .meta({ id: 'CallLimit' }),
  ),
});

const change = z.object({
  rules: z
    .array(z.string())
    .max(MAX_CALL_RULES)
    .meta({ description: `All your rules, each ${RULE_TEXT} Empty: none.` }),
});

export const CALL_LIMIT_OPERATIONS = [
  operation(
    {
      method: 'get',
      path: '/call-limits',
      id: 'listCallLimits',
      summary: 'Rules about how many calls of your users may be sent: those of the operator, and yours.',
      answers: { 200: 'The rules.' },
      answer: rules,
    },
    async ({ partner }, api) => describeRules(partner, api),
  ),
  operation(
    {
      method: 'put',
      path: '/call-limits',
      id: 'putCallLimits',
      isLiveOnly: true,
      summary: 'Replaces your rules. Those of the operator stay.',
      credentials: 'header',
      body: { schema: change, explain: () => `rules must list at most ${MAX_CALL_RULES} texts.` },
      answers: { 200: 'The rules.' },
      answer: rules,
    },
    async (call, api) => {
      const callLimits = parseRules((await call.body()).rules, api);
      const changed = await api.db.transaction().execute(async (transaction) => {
        await changePartner(transaction, call.partner.id, { callLimits }, call.event());
        return findPartner(transaction, call.partner.id);
      });
      return describeRules(changed ?? call.partner, api);
    },
  ),
];

/** @throws {RequestError} `invalid_request`, status 400. */
function parseRules(texts: readonly string[], { catalogue }: PartnerApi): string[] | null {
  let parsed: ReturnType<typeof parseCallRules>;
  try {
    parsed = parseCallRules(texts.join(','));
  } catch (error) {
    throw invalid(`rules ${(error as Error).message}.`, { cause: error });
  }
  const [problem] = findCallRuleProblems(parsed, catalogue.connectors);
  if (problem !== undefined) throw invalid(`rules ${problem}.`);
  return parsed.length === 0 ? null : parsed.map(({ text }) => text);
}

async function describeRules({ id, callLimits }: Partner, { db, callRules, now }: PartnerApi) {
  const own = parseCallRules(callLimits?.join(',') ?? '').map((rule) => ({ rule, setBy: 'partner' as const }));
  const all = [...callRules.ofOperator.map((rule) => ({ rule, setBy: 'operator' as const })), ...own];
  const counts = await listHighestCounts(
    db,
    all.map(({ rule }) => rule.id),
    now(),
  );
  return {
    rules: all.map(({ rule, setBy }) => ({
      rule: rule.text,
      setBy,
      used: counts.find((count) => count.rule === rule.id && count.partnerId === id)?.calls ?? 0,
    })),
  };
}
