/** Compares two surfaces and classifies the changes. Pure: the same input gives the same report, in the same order. */

import { isSame } from '../json.ts';
import { fingerprintOf } from './acknowledge.ts';
import { checkArguments } from './checks/arguments.ts';
import { checkBeforeCall } from './checks/before-call.ts';
import { checkConnector, checkSkills } from './checks/connector.ts';
import { checkAddedHosts, checkCarried, checkCredentialHost } from './checks/credential-hosts.ts';
import { checkOpenParts, withoutShown } from './checks/open-parts.ts';
import { checkCall, checkEffect, checkHandWritten, checkHints, checkOperation } from './checks/operation.ts';
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
  'effectFrom',
  'approval',
  'preview',
  'wait',
  'aliases',
  'scopes',
  'extra',
  'credential',
  'uses',
  'code',
  'run',
  'gatewayArguments',
  'rare',
  'batch',
]);

/** Every change between the services of the base and those of the head, without acknowledgements. */
export function compareServices(
  before: readonly ServiceSurface[],
  after: readonly ServiceSurface[],
  options: CompareOptions,
): Change[] {
  const services = [...new Set([...before, ...after].map(({ service }) => service))].sort();
  return services.flatMap((service) => {
    const was = before.find((one) => one.service === service);
    const is = after.find((one) => one.service === service);
    if (was === undefined && is !== undefined) return addedService(is);
    if (was !== undefined && is === undefined) return [removedService(was)];
    return was === undefined || is === undefined ? [] : compareService(was, is, options);
  });
}

function compareService(before: ServiceSurface, after: ServiceSurface, { today }: CompareOptions): Change[] {
  const matched = matchTools(before.tools, after.tools);
  const ofService = (tool: ToolSurface | null, finding: Finding) => toChange(after, tool, finding);
  const familiar = { domains: vendorDomains(before), marks: new Map() };
  return [
    ...checkConnector(before, after).map((finding) => ofService(null, finding)),
    ...checkAddedHosts(before, after, matched).map((finding) => ofService(null, finding)),
    ...checkToolSet(before, after, matched).map(({ tool, finding }) => ofService(tool, finding)),
    ...matched.pairs.flatMap((pair) => {
      const ofCredential = checkCredentialOf(pair, { before, after });
      const others = compareTool(pair.before, pair.after, familiar, today);
      const isMoved = ofCredential.some(({ rule }) => rule === 'credential-host-changed');
      const findings = [...ofCredential, ...others.filter(({ rule }) => !isMoved || rule !== 'server-changed')];
      return findings.map((finding) => ofService(pair.after, finding));
    }),
    ...matched.added.flatMap((tool) =>
      checkIntroduced(null, tool, familiar).map((finding) => ofService(tool, finding)),
    ),
  ];
}

/** Compares the hosts that get the credential of a tool, and the secrets that they get. */
function checkCredentialOf(
  pair: { readonly before: ToolSurface; readonly after: ToolSurface },
  services: { readonly before: ServiceSurface; readonly after: ServiceSurface },
): Finding[] {
  const before = { tool: pair.before, service: services.before };
  const after = { tool: pair.after, service: services.after };
  return [...checkCredentialHost(before, after), ...checkCarried(before, after)];
}

function compareTool(was: ToolSurface, after: ToolSurface, familiar: Familiar, today: string): Finding[] {
  if (was === after) return [];
  const before = withPathNames(was, after);
  const found = [
    ...checkNames(before, after, today),
    ...checkOperation(before, after),
    ...checkHandWritten(before, after),
    ...checkEffect(before, after),
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
function addedService(after: ServiceSurface): Change[] {
  const familiar = { domains: vendorDomains(after), marks: new Map() };
  const finding: Finding = { rule: 'service-added', place: 'service', note: `${after.tools.length} tools` };
  return [
    toChange(after, null, finding),
    ...[...checkSignIn(null, after), ...checkSkills(null, after)].map((one) => toChange(after, null, one)),
    ...after.tools.flatMap((tool) => {
      const addition = toAddition(tool);
      const findings = checkIntroduced(null, tool, familiar);
      const together = addition.rule === 'effect-inferred' ? addition : { ...addition, group: addition.note ?? '' };
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

function toChange({ service, file }: ServiceSurface, tool: ToolSurface | null, finding: Finding): Change {
  const place = { service, tool: tool?.name ?? null, file: tool?.file ?? file };
  const level = RULES[finding.rule].level;
  return { ...finding, ...place, level, fingerprint: fingerprintOf({ ...finding, ...place }), acknowledged: null };
}
