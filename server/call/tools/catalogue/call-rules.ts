/** Rules that limit calls: at most so many of a tool, a service or an effect in a minute, an hour or a day (UTC). */

import { LRUCache } from 'lru-cache';
import type { Connector } from '../../../contract/index.ts';
import { findNearest } from '../nearest.ts';
import { allToolsOf } from './permitted.ts';

const EFFECTS = ['read', 'write', 'destroy', 'send', 'pay'] as const;

export const WINDOW_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** One rule. */
export interface CallRule {
  /** The rule as it is written, such as `tool:crm_send_mail 50/day/user`. */
  readonly text: string;
  /** The rule without its number. Rules that differ only in their number share their counts. */
  readonly id: string;
  /** The limited calls: one of `EFFECTS`, `tool:<name>` or `service:<name>`. */
  readonly target: string;
  /** Calls at most in one window. */
  readonly calls: number;
  readonly window: keyof typeof WINDOW_MS;
  /** Whose calls are counted together: one user's, those of one client of a user, or those of all users of a partner. */
  readonly per: 'user' | 'client' | 'partner';
}

/** Rules of one setting, or of one partner. */
export const MAX_CALL_RULES = 50;

const RULE =
  /^(?<target>read|write|destroy|send|pay|(?:tool|service):[A-Za-z0-9_.-]{1,128}) (?<calls>[1-9]\d{0,8})\/(?<window>minute|hour|day)\/(?<per>user|client|partner)$/;

const FORM =
  'of calls (tool:<name>, service:<name>, read, write, destroy, send or pay), then a number, minute, hour or day, and user, client or partner, such as "tool:crm_send_mail 50/day/user"';

/** @throws {Error} whose message follows a name, such as that of the setting. */
function parseCallRule(text: string): CallRule {
  const { target = '', calls, window, per } = RULE.exec(text)?.groups ?? {};
  if (target === '') throw new Error(`has "${text.slice(0, 100)}", and a rule consists ${FORM}`);
  return { text, id: `${target} ${window}/${per}`, target, calls: Number(calls), window, per } as CallRule;
}

/** Reads rules that commas separate. @throws {Error} whose message follows the name of the setting. */
export function parseCallRules(text: string): CallRule[] {
  const texts = text
    .split(',')
    .map((rule) => rule.trim())
    .filter((rule) => rule !== '');
  if (texts.length > MAX_CALL_RULES) throw new Error(`has more than ${MAX_CALL_RULES} rules`);
  const rules = texts.map(parseCallRule);
  const repeated = rules.find(({ id }, index) => rules.findIndex((rule) => rule.id === id) < index);
  if (repeated !== undefined) throw new Error(`has two rules "${repeated.id}"`);
  return rules;
}

/** Finds names that no connector has. Each text follows the name of the setting. */
export function findCallRuleProblems(rules: readonly CallRule[], connectors: readonly Connector[]): string[] {
  const known = connectors.flatMap((connector) => [
    `service:${connector.name}`,
    ...allToolsOf(connector).map(({ name }) => `tool:${name}`),
  ]);
  return rules
    .filter(({ target }) => target.includes(':') && !known.includes(target))
    .map(({ target }) => {
      const suggestion = findNearest(target, known).map((near) => ` (did you mean ${near}?)`);
      return `names ${target}, which the gateway does not have${suggestion}`;
    });
}

/** Targets of rules that a tool is limited by. */
function targetsOf(service: string, tool: LimitedTool, effects: readonly string[]): ReadonlySet<string> {
  const isReading = tool.annotations.readOnlyHint;
  const ownEffects = EFFECTS.filter((effect) => (effect === 'read' ? isReading : effects.includes(effect)));
  return new Set([`tool:${tool.name}`, `service:${service}`, ...ownEffects]);
}

interface LimitedTool {
  readonly name: string;
  readonly annotations: { readonly readOnlyHint: boolean };
}

/** A tool and its service. */
export interface LimitedEntry {
  readonly connector: { readonly name: string };
  readonly tool: LimitedTool;
}

/** Finds the rules that limit the calls of a tool by a principal: of those that differ only in their number, the lowest. Empty for most. */
export type FindCallRules = (
  principal: { readonly callLimits?: string | null | undefined },
  entry: LimitedEntry,
) => readonly CallRule[];

const NO_RULES: readonly CallRule[] = [];
const MAX_PARSED = 1_000;

/**
 * Creates the search for rules. What an operator's rules limit is found once for each tool, and a partner's rules are read once.
 *
 * @param operatorRules those of `CALL_LIMITS`. @param effectsByTool effects of the tools that do more than read.
 */
export function createFindCallRules(
  operatorRules: readonly CallRule[],
  effectsByTool: ReadonlyMap<string, readonly string[]>,
): FindCallRules {
  const parsed = new LRUCache<string, readonly CallRule[]>({ max: MAX_PARSED });
  const byTool = new LRUCache<string, readonly CallRule[]>({ max: 10 * MAX_PARSED });
  const readRules = (text: string): readonly CallRule[] => {
    const rules = parsed.get(text) ?? parseCallRules(text);
    parsed.set(text, rules);
    return rules;
  };
  return ({ callLimits = null }, { connector, tool }) => {
    if (callLimits === null && operatorRules.length === 0) return NO_RULES;
    const key = `${tool.name} ${callLimits ?? ''}`;
    const found = byTool.get(key);
    if (found !== undefined) return found;
    const targets = targetsOf(connector.name, tool, effectsByTool.get(tool.name) ?? []);
    const all = [...operatorRules, ...(callLimits === null ? [] : readRules(callLimits))];
    const matching = all.filter(({ target }) => targets.has(target));
    const lowest = [...Map.groupBy(matching, ({ id }) => id).values()].flatMap(
      (same) => same.toSorted((a, b) => a.calls - b.calls)[0] ?? [],
    );
    byTool.set(key, lowest);
    return lowest;
  };
}
