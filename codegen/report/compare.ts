/** Compares two surfaces and classifies the changes. Pure: the same input gives the same report, in the same order. */

import { isSame } from '../json.ts';
import { fingerprintOf } from './acknowledge.ts';
import { checkArguments } from './checks/arguments.ts';
import { checkBeforeCall } from './checks/before-call.ts';
import { checkConnector, checkSkills } from './checks/connector.ts';
import { checkOpenParts, withoutShown } from './checks/open-parts.ts';
import { checkCall, checkHandWritten, checkHints, checkOperation } from './checks/operation.ts';
import { checkOutput } from './checks/output.ts';
import { checkExtra, checkScopes, checkSignIn } from './checks/sign-in.ts';
import { checkNames, checkToolSet, toAddition } from './checks/tool-set.ts';
import { checkIntroduced, checkTexts, type Familiar } from './checks/wording.ts';
import { vendorDomains } from './known-hosts.ts';
import { matchTools, withPathNames } from './match-tools.ts';
import { RULES } from './rules.ts';
import type { Change, Finding, ServiceSurface, ToolSurface } from './types.ts';

interface CompareOptions {
  /** ISO date, such as `2027-03-01`: an alias with an earlier end date may be removed. */
  readonly today: string;
}

/** Members of a tool that have rules; `changed-otherwise` reports changes of any other. */
const KNOWN = new Set([
  'name',
  'title',
  'description',
  'operation',
  'annotations',
  'inputSchema',
  'outputSchema',
  'agreements',
  'idempotency',
  'reservedSegments',
  'page',
  'filters',
  'find',
  'result',
  'answersJson',
  'effect',
  'approval',
  'preview',
  'wait',
  'undo',
  'aliases',
  'scopes',
  'extra',
  'uses',
  'code',
  'run',
  'gatewayArguments',
  'listAnswers',
  'rare',
  'batch',
]);

/** Every change between the services of the base and those of the head, without acknowledgements. */
export function compareServices(
  before: readonly ServiceSurface[],
  after: readonly ServiceSurface[],
  options: CompareOptions,
): Change[] {
  const names = new Set([...before, ...after].flatMap(({ tools }) => tools.map(({ name }) => name)));
  const services = [...new Set([...before, ...after].map(({ service }) => service))].sort();
  return services.flatMap((service) => {
    const was = before.find((one) => one.service === service);
    const is = after.find((one) => one.service === service);
    if (was === undefined && is !== undefined) return addedService(is, names);
    if (was !== undefined && is === undefined) return [removedService(was)];
    return was === undefined || is === undefined ? [] : compareService(was, is, names, options);
  });
}

function compareService(
  before: ServiceSurface,
  after: ServiceSurface,
  names: ReadonlySet<string>,
  { today }: CompareOptions,
): Change[] {
  const matched = matchTools(before.tools, after.tools);
  const ofService = (tool: ToolSurface | null, finding: Finding) => toChange(after, tool, finding);
  const domains = vendorDomains(before);
  const familiar = { names, domains, marks: new Map() };
  const foreign = { names: withoutTools(names, [before, after]), domains, marks: new Map() };
  return [
    ...checkConnector(before, after).map((finding) => ofService(null, finding)),
    ...checkToolSet(before, after, matched).map(({ tool, finding }) => ofService(tool, finding)),
    ...matched.pairs.flatMap((pair) =>
      compareTool(pair.before, pair.after, familiar, today).map((finding) => ofService(pair.after, finding)),
    ),
    ...matched.added.flatMap((tool) => checkIntroduced(null, tool, foreign).map((finding) => ofService(tool, finding))),
  ];
}

function compareTool(was: ToolSurface, after: ToolSurface, familiar: Familiar, today: string): Finding[] {
  if (was === after) return [];
  const before = withPathNames(was, after);
  const found = [
    ...checkNames(before, after, today),
    ...checkOperation(before, after),
    ...checkHandWritten(before, after),
    ...checkHints(before, after),
    ...checkScopes(before, after),
    ...checkExtra(before, after),
    ...checkArguments(before, after),
    ...checkCall(before, after),
    ...checkBeforeCall(before, after),
    ...checkOutput(before, after),
    ...checkTexts(before, after),
    ...checkIntroduced(before, after, familiar),
    ...checkOtherMembers(before, after),
  ];
  const findings = withoutShown(found, before, after);
  return [...findings, ...checkUntold(before, after, findings), ...checkOpenParts(before, after)];
}

/** Reports schemas that differ even if no rule found a change. */
function checkUntold(before: ToolSurface, after: ToolSurface, findings: readonly Finding[]): Finding[] {
  return (['inputSchema', 'outputSchema'] as const).flatMap((member): Finding[] => {
    const isTold = findings.some(({ pointer }) => pointer?.[0] === member);
    if (isTold || isSame(before[member], after[member])) return [];
    return [{ rule: 'changed-otherwise', place: member, pointer: [member] }];
  });
}

/** A later generator may write members that this report does not know yet. */
function checkOtherMembers(before: ToolSurface, after: ToolSurface): Finding[] {
  const [old, now] = [before.members, after.members];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name): Finding[] => {
    if (KNOWN.has(name) || isSame(old[name], now[name])) return [];
    return [{ rule: 'changed-otherwise', place: name, before: old[name], after: now[name], pointer: [name] }];
  });
}

/**
 * A new service is one line, followed by the hosts to which it sends secrets, the scopes that it requests, its tools
 * that write, those that destroy, and what its texts introduce.
 */
function addedService(after: ServiceSurface, names: ReadonlySet<string>): Change[] {
  const foreign = { names: withoutTools(names, [after]), domains: vendorDomains(after), marks: new Map() };
  const finding: Finding = { rule: 'service-added', place: 'service', note: `${after.tools.length} tools` };
  return [
    toChange(after, null, finding),
    ...[...checkSignIn(null, after), ...checkSkills(null, after)].map((one) => toChange(after, null, one)),
    ...after.tools.flatMap((tool) => {
      const addition = toAddition(tool);
      const findings = checkIntroduced(null, tool, foreign);
      const together = { ...addition, group: addition.note ?? '' };
      return [...(addition.rule === 'tool-added' ? [] : [together]), ...findings].map((one) =>
        toChange(after, tool, one),
      );
    }),
  ];
}

function removedService(before: ServiceSurface): Change {
  const names = before.tools.map(({ name }) => name).join(', ');
  return toChange(before, null, { rule: 'service-removed', place: 'service', before: names });
}

/** Texts of a new tool may name tools that were added with it. */
function withoutTools(names: ReadonlySet<string>, services: readonly ServiceSurface[]): ReadonlySet<string> {
  const namesHere = new Set(services.flatMap(({ tools }) => tools.map(({ name }) => name)));
  return new Set([...names].filter((name) => !namesHere.has(name)));
}

function toChange({ service, file }: ServiceSurface, tool: ToolSurface | null, finding: Finding): Change {
  const place = { service, tool: tool?.name ?? null, file: tool?.file ?? file };
  const level = RULES[finding.rule].level;
  return { ...finding, ...place, level, fingerprint: fingerprintOf({ ...finding, ...place }), acknowledged: null };
}
