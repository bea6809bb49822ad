/** The limits of users' calls: all requests of a user by the minute, and rules of the operator and of partners about single tools. */

import { hash } from 'node:crypto';
import type { Limits } from '../../base/limits/index.ts';
import type { Principal } from '../../base/principal/principal.ts';
import {
  addToCallCounts,
  type CallCount,
  findCallCounts,
  takeFromCallCounts,
} from '../../base/store/repositories/limits/call-counts.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { Connector } from '../../contract/index.ts';
import { traitsByTool } from './approvals/policy.ts';
import { type CallOutcome, refuse } from './call/call-outcome.ts';
import type { CallRules } from './call/dependencies.ts';
import type { Call } from './call/state.ts';
import { type CallRule, createFindCallRules, WINDOW_MS } from './catalogue/call-rules.ts';
import { isHandWritten } from './catalogue/permitted.ts';
import { isUnsent } from './results/outcomes.ts';

/** Calls that batches of one user make in a minute: they are counted apart from the user's requests. */
const INNER_CALLS_PER_MINUTE = 500;

interface CallRulesOptions {
  /** `CALL_LIMITS`. */
  readonly rules: readonly CallRule[];
  /** Effects of the tools that do more than read. */
  readonly effectsByTool: ReadonlyMap<string, readonly string[]>;
  readonly db: Executor;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The settings of limits. */
interface LimitSettings {
  readonly toolCallsPerMinute: number;
  readonly callLimits: readonly CallRule[];
}

interface CallLimitsOptions {
  readonly connectors: readonly Connector[];
  readonly limits: Limits;
  readonly db: Executor;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function createCallLimits(
  { toolCallsPerMinute: points, callLimits: rules }: LimitSettings,
  options: CallLimitsOptions,
) {
  const { connectors, limits, db, now } = options;
  const inner = { name: 'inner calls', points: Math.max(INNER_CALLS_PER_MINUTE, points), durationSeconds: 60 };
  return {
    callLimit: limits.reconciled({ name: 'calls', points, durationSeconds: 60 }),
    innerLimit: limits.reconciled(inner),
    callRules: createCallRules({ rules, effectsByTool: traitsByTool(connectors), db, now }),
  };
}

/** Creates the rules of a gateway: those of the operator, and those that a principal brings along. */
export function createCallRules({ rules: ofOperator, effectsByTool, db, now }: CallRulesOptions): CallRules {
  const find = createFindCallRules(ofOperator, effectsByTool);
  const countedKeys = new WeakMap<Call, readonly string[]>();

  const countByRules = async (call: Call, rules: readonly CallRule[]): Promise<CallOutcome | null> => {
    const time = now();
    const counts = rules.map((rule) => toCount(rule, call.principal, time));
    const reachedKey = await addToCallCounts(db, counts);
    if (reachedKey === null) {
      countedKeys.set(
        call,
        counts.map(({ key }) => key),
      );
      return null;
    }
    const reached = counts.findIndex(({ key }) => key === reachedKey);
    return refuseByRule(rules[reached] as CallRule, time);
  };
  return {
    find,
    ofOperator,
    count(call) {
      const rules = find(call.principal, call.entry);
      return rules.length === 0 ? null : countByRules(call, rules);
    },
    async giveBack(call, { outcome }) {
      const keys = countedKeys.get(call);
      // A call that an MCP server answered with a question counts when it is made again with the answer.
      const isNeverDone = isUnsent(outcome) || outcome === 'cancelled' || outcome === 'needs_input';
      // A hand-written tool sends requests of its own.
      if (keys === undefined || !isNeverDone || call.mayHaveActed || isHandWritten(call.entry.tool)) return;
      countedKeys.delete(call);
      await takeFromCallCounts(db, keys);
    },
    async list(principal, entry) {
      const time = now();
      const counted = find(principal, entry).map((rule) => ({ rule, count: toCount(rule, principal, time) }));
      const calls = await findCallCounts(
        db,
        counted.map(({ count }) => count.key),
      );
      return counted.map(({ rule, count }) => ({ rule, calls: calls.get(count.key) ?? 0, endsAt: count.endsAt }));
    },
  };
}

function endOfWindow({ window }: CallRule, time: number): number {
  return time - (time % WINDOW_MS[window]) + WINDOW_MS[window];
}

function toCount(rule: CallRule, principal: Principal, time: number): CallCount {
  const { partnerId, userId, clientId } = principal;
  const endsAt = endOfWindow(rule, time);
  const subjects = { partner: partnerId, user: userId, client: `${userId} ${clientId ?? ''}` };
  return {
    // A `client_id` may be a long URL.
    key: hash('sha256', JSON.stringify([rule.id, subjects[rule.per], endsAt]), 'base64url'),
    rule: rule.id,
    partnerId,
    userId: rule.per === 'partner' ? null : userId,
    endsAt,
    limit: rule.calls,
  };
}

const OWNERS = { user: 'this user', client: 'this client of the user', partner: 'all users of the application' };

function refuseByRule(rule: CallRule, time: number): CallOutcome {
  const endsAt = endOfWindow(rule, time);
  const seconds = Math.ceil((endsAt - time) / 1000);
  return refuse('call_limit_reached', {
    message: `The rule "${rule.text}" allows ${rule.calls} such calls in one ${rule.window} (UTC) of ${OWNERS[rule.per]}, and all of them are used.`,
    advice: `Nothing was sent. Call again after ${new Date(endsAt).toISOString()}, in ${seconds} seconds, or tell the user.`,
    retryAfterSeconds: seconds,
    details: { rule: rule.text, until: new Date(endsAt).toISOString() },
  });
}
