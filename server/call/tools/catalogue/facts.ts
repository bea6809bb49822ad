/** The facts that a user allows with a tool, as one short text. If a later text means more risk, it must be allowed again. */

import { createHash } from 'node:crypto';
import { BaseUrlError, resolveBaseUrls } from '../../../base/base-urls.ts';
import type { Permission } from '../../../base/principal/permission.ts';
import type { Connector, ToolFace } from '../../../contract/index.ts';
import { type AnyTool, type Effect, effectOf, isHandWritten, usedTools } from './permitted.ts';

/**
 * Facts by tool name, such as `writes api.example.com`: the effect, then the host of the descriptor's base URL. For a
 * hand-written tool: all hosts, joined by commas, then the digest of its code: `writes api.example.com 0123456789ab`.
 */
export type ToolFacts = Readonly<Record<string, string>>;

/** The facts of a whole catalogue. */
export interface CatalogueFacts {
  /** SHA-256 of `text` as base64url: equal where nothing changed. */
  readonly hash: string;
  /** JSON of `byTool`, sorted by name. */
  readonly text: string;
  readonly byTool: ToolFacts;
}

/** Effects of a tool on an upstream, in order of increasing risk. */
export const EFFECTS = ['reads', 'writes', 'destroys'] as const satisfies readonly Effect[];
export { type Effect, effectOf } from './permitted.ts';

/** Numbers of tools by effect. */
export type EffectCounts = Readonly<Record<Effect, number>>;

/** @param effects one for each tool. */
export function countEffects(effects: readonly Effect[]): EffectCounts {
  const counts = { reads: 0, writes: 0, destroys: 0 };
  for (const effect of effects) counts[effect] += 1;
  return counts;
}

/** Computes the facts of the tools that are served. */
export function buildFacts(entries: Iterable<{ connector: Connector; tool: AnyTool }>): CatalogueFacts {
  const hosts = new Map<Connector, (template: string) => string>();
  const facts: [string, string][] = [];
  for (const { connector, tool } of entries) {
    const hostOf = hosts.get(connector) ?? hostsOf(connector);
    hosts.set(connector, hostOf);
    const called = usedTools(connector, tool).map(({ operation }) => hostOf(operation.server));
    const code = isHandWritten(tool) ? ` ${tool.code}` : '';
    facts.push([tool.name, `${effectOf(tool)} ${[...new Set(called)].sort().join(',')}${code}`]);
  }
  const byTool = Object.fromEntries(facts.sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = JSON.stringify(byTool);
  return { hash: createHash('sha256').update(text, 'utf8').digest('base64url'), text, byTool };
}

/** Hosts by server template. A template that is not a URL without the operator's settings is returned as it is. */
function hostsOf({ servers }: Connector): (template: string) => string {
  const hosts = new Map(servers.map(({ url }) => [url, url]));
  try {
    for (const [template, url] of resolveBaseUrls(servers, {})) hosts.set(template, new URL(url).host);
  } catch (error) {
    if (!(error instanceof BaseUrlError)) throw error;
  }
  return (template) => hosts.get(template) ?? template;
}

/**
 * Describes the new risks of a tool, as sentences for its user. The list is empty if there is no more risk than was allowed.
 *
 * The rules are those of the tool report (`codegen/report/rules.ts`) that concern the facts that a user allowed: `read-tool-writes`,
 * `writing-tool-added`, a new `destructiveHint`, `server-changed` and `server-default-changed` to another host, and `code-of-write-changed`. Risks
 * that only concern reviewers (descriptions, hints that promise more) are ignored.
 *
 * @param seen the facts that were allowed, or undefined if the tool did not exist then.
 */
export function findRisks(seen: string | undefined, now: string): readonly string[] {
  const [effect, host, code] = readFacts(now);
  if (seen === undefined) return effect === 'reads' ? [] : [`It is new, and it ${effect} data.`];
  const [seenEffect, seenHost, seenCode] = readFacts(seen);
  const risks: string[] = [];
  if (EFFECTS.indexOf(effect) > EFFECTS.indexOf(seenEffect)) {
    const only = seenEffect === 'reads' ? 'only read' : 'wrote, and destroyed nothing';
    risks.push(`It ${effect} data. Before, it ${only}.`);
  }
  if (host !== seenHost) risks.push(`It calls ${host}, with your credential. Before, it called ${seenHost}.`);
  if (code !== seenCode && effect !== 'reads') risks.push(`It ${effect} data in other steps than before.`);
  return risks;
}

function readFacts(facts: string): [effect: Effect, host: string, code: string] {
  const [effect, host = '', code = ''] = facts.split(' ');
  return [EFFECTS.find((known) => known === effect) ?? 'destroys', host, code];
}

/** The facts of a tool in an older set, which may have it under an old name. */
export function findSeenFacts(seen: ToolFacts, { name, aliases = [] }: ToolFace): string | undefined {
  const seenName = [name, ...aliases.map((alias) => alias.name)].find((one) => Object.hasOwn(seen, one));
  return seenName === undefined ? undefined : seen[seenName];
}

/**
 * True if a tool can be called without its user, under a grant whose user agreed to writing and destroying tools one by one.
 *
 * The tool only reads, or the user agreed to its effect in its service, or the user has allowed the tool itself and it is no riskier now.
 */
export function isAgreed(
  { connector, tool }: { connector: Connector; tool: AnyTool },
  { agreed, accepted }: Permission,
  now: ToolFacts,
): boolean {
  const effect = effectOf(tool);
  if (agreed === null || effect === 'reads' || agreed[effect].includes(connector.name)) return true;
  const was = findSeenFacts(accepted, tool);
  return was !== undefined && findRisks(was, now[tool.name] ?? '').length === 0;
}

const VERBS: Readonly<Record<Effect, readonly [one: string, many: string]>> = {
  reads: ['reads', 'read'],
  writes: ['writes', 'write'],
  destroys: ['deletes or overwrites', 'delete or overwrite'],
};

/** The effect of one tool, such as `deletes or overwrites`. */
export function effectName(effect: Effect): string {
  return VERBS[effect][0];
}

/** Tools by effect, the least risk first: `[[12, 'read'], [1, 'deletes or overwrites']]`. Effects without tools are absent. */
export function countedVerbs(counts: EffectCounts): (readonly [count: number, verb: string])[] {
  return EFFECTS.filter((effect) => counts[effect] > 0).map((effect) => {
    const [one, many] = VERBS[effect];
    return [counts[effect], counts[effect] === 1 ? one : many];
  });
}

/** Counts tools by effect, such as `12 read-only tools, 3 that change data, 1 that deletes or overwrites`. Empty if there are none. */
export function toolCounts(counts: EffectCounts): string {
  const parts = EFFECTS.filter((effect) => counts[effect] > 0).map((effect, index) => {
    const count = counts[effect];
    const noun = count === 1 ? 'tool' : 'tools';
    if (effect === 'reads') return `${count} read-only ${noun}`;
    const verb = COUNTED_VERBS[effect][count === 1 ? 0 : 1];
    return index > 0 ? `${count} that ${verb}` : `${count} ${noun} that ${verb}`;
  });
  return parts.join(', ');
}

const COUNTED_VERBS = { writes: ['changes data', 'change data'], destroys: VERBS.destroys } as const;
