/** Compares two surfaces and classifies the changes. Pure: the same input gives the same report, in the same order. */

import { isSame } from '../json.ts';
import { wordSet } from '../word-set.ts';
import { fingerprintOf } from './acknowledge.ts';
import { checkArguments } from './checks/arguments.ts';
import { checkBeforeCall } from './checks/before-call.ts';
import { checkConnector, checkSkills } from './checks/connector.ts';
import { checkAddedHosts, checkCredentialHost, checkSentSecrets } from './checks/credential-hosts.ts';
import { checkOpenParts, withoutNewlyVisible } from './checks/open-parts.ts';
import {
  checkCall,
  checkEffect,
  checkHandWritten,
  checkHints,
  checkOperation,
  checkSuccessStatuses,
} from './checks/operation.ts';
import { checkOutput } from './checks/output.ts';
import { checkExtra, checkScopes, checkSignIn } from './checks/sign-in.ts';
import { checkNames, checkToolSet, toAddition } from './checks/tool-set.ts';
import {
  checkIntroduced,
  checkReplacedTexts,
  checkServiceTexts,
  checkTexts,
  type KnownTexts,
} from './checks/wording.ts';
import { compareMember, namesInEither } from './finding.ts';
import { vendorDomains } from './known-hosts.ts';
import { matchTools, withPathNames } from './match-tools.ts';
import { RULES } from './rules.ts';
import type { Change, Finding, ServiceSurface, ToolSurface } from './types.ts';

interface CompareOptions {
  /** ISO date, such as `2027-03-01`: an alias with an earlier end date may be removed. */
  readonly today: string;
}

/** Members of a tool that other checks compare, or whose effect on agents shows in those. */
const COMPARED_ELSEWHERE = wordSet(
  'name title description operation annotations inputSchema outputSchema agreements reservedSegments ' +
    'find result answersJson effectFrom aliases scopes extra credential uses code run ' +
    'gatewayArguments rare batch call',
);

/** Every change between the services of the base and those of the head, without acknowledgements. */
export function compareServices(
  before: readonly ServiceSurface[],
  after: readonly ServiceSurface[],
  options: CompareOptions,
): Change[] {
  const services = [...new Set([...before, ...after].map(({ service }) => service))].sort();
  return services.flatMap((service) => {
    const oldService = before.find((surface) => surface.service === service);
    const newService = after.find((surface) => surface.service === service);
    if (oldService === undefined && newService !== undefined) return addedService(newService);
    if (oldService !== undefined && newService === undefined) return [removedService(oldService)];
    return oldService === undefined || newService === undefined ? [] : compareService(oldService, newService, options);
  });
}

function compareService(before: ServiceSurface, after: ServiceSurface, { today }: CompareOptions): Change[] {
  const matched = matchTools(before.tools, after.tools);
  const toServiceChange = (tool: ToolSurface | null, finding: Finding) => toChange(after, tool, finding);
  const knownTexts = { domains: vendorDomains(before), marks: new Map() };
  return [
    ...checkConnector(before, after).map((finding) => toServiceChange(null, finding)),
    ...checkServiceTexts(before, after).map((finding) => toServiceChange(null, finding)),
    ...checkAddedHosts(before, after, matched).map((finding) => toServiceChange(null, finding)),
    ...checkToolSet(before, after, matched).map(({ tool, finding }) => toServiceChange(tool, finding)),
    ...matched.pairs.flatMap((pair) => {
      const credentialFindings = checkCredentialOf(pair, { before, after });
      const toolFindings = compareTool(pair.before, pair.after, knownTexts, today);
      const isMoved = credentialFindings.some(({ rule }) => rule === 'credential-host-changed');
      const findings = [
        ...credentialFindings,
        ...toolFindings.filter(({ rule }) => !isMoved || rule !== 'server-changed'),
      ];
      return findings.map((finding) => toServiceChange(pair.after, finding));
    }),
    ...matched.added.flatMap((tool) =>
      checkIntroduced(null, tool, knownTexts).map((finding) => toServiceChange(tool, finding)),
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
  return [...checkCredentialHost(before, after), ...checkSentSecrets(before, after)];
}

function compareTool(original: ToolSurface, after: ToolSurface, knownTexts: KnownTexts, today: string): Finding[] {
  if (original === after) return [];
  const before = withPathNames(original, after);
  const allFindings = [
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
    ...checkSuccessStatuses(before, after),
    ...checkReplacedTexts(before, after),
    ...checkTexts(before, after),
    ...checkIntroduced(before, after, knownTexts),
    ...checkMembers(before, after),
  ];
  const findings = withoutNewlyVisible(allFindings, before, after);
  return [
    ...findings,
    ...checkMcpCall(before, after, findings),
    ...checkUnreported(before, after, findings),
    ...checkOpenParts(before, after),
  ];
}

/** Reports a new definition of a tool of an MCP server where nothing else shows it, such as claims that connector.yaml overrides. */
function checkMcpCall(before: ToolSurface, after: ToolSurface, findings: readonly Finding[]): Finding[] {
  return findings.length > 0 ? [] : compareMember(before.members, after.members, 'call', 'call-changed');
}

/** Reports schemas that differ even if no rule found a change. */
function checkUnreported(before: ToolSurface, after: ToolSurface, findings: readonly Finding[]): Finding[] {
  return (['inputSchema', 'outputSchema'] as const).flatMap((member): Finding[] => {
    const isReported = findings.some(({ pointer }) => pointer?.[0] === member);
    if (isReported || isSame(before[member], after[member])) return [];
    return [{ rule: 'changed-otherwise', place: member, pointer: [member] }];
  });
}

/** Compares the members that are one value each, also those of a later generator, which this report does not know yet. */
function checkMembers({ members: old }: ToolSurface, { members: now }: ToolSurface): Finding[] {
  return namesInEither(old, now)
    .filter((name) => !COMPARED_ELSEWHERE.has(name))
    .flatMap((name) => compareMember(old, now, name, ruleOfMember(name, old[name], now[name])));
}

function ruleOfMember(name: string, before: unknown, after: unknown): Finding['rule'] {
  switch (name) {
    case 'page':
      return 'paging-changed';
    case 'filters':
      return 'filters-changed';
    case 'wait':
      return 'wait-changed';
    case 'preview':
      return 'approval-changed';
    case 'effect':
    case 'approval':
      return before === undefined ? 'approval-changed' : 'approval-dropped';
    case 'idempotency':
      return after === undefined ? 'idempotency-dropped' : 'idempotency-changed';
    default:
      return 'changed-otherwise';
  }
}

/**
 * A new service is one line, followed by the hosts to which it sends secrets, the scopes that it requests, its tools
 * that write, those that destroy, and what its texts introduce.
 */
function addedService(after: ServiceSurface): Change[] {
  const knownTexts = { domains: vendorDomains(after), marks: new Map() };
  const finding: Finding = { rule: 'service-added', place: 'service', note: `${after.tools.length} tools` };
  return [
    toChange(after, null, finding),
    ...[...checkSignIn(null, after), ...checkSkills(null, after)].map((serviceFinding) =>
      toChange(after, null, serviceFinding),
    ),
    ...after.tools.flatMap((tool) => {
      const addition = toAddition(tool);
      const findings = checkIntroduced(null, tool, knownTexts);
      const groupedAddition =
        addition.rule === 'effect-inferred' ? addition : { ...addition, group: addition.note ?? '' };
      return [...(addition.rule === 'tool-added' ? [] : [groupedAddition]), ...findings].map((toolFinding) =>
        toChange(after, tool, toolFinding),
      );
    }),
  ];
}

function removedService(before: ServiceSurface): Change {
  const names = before.tools.map(({ name }) => name).join(', ');
  return toChange(before, null, { rule: 'service-removed', place: 'service', before: names });
}

function toChange({ service, file }: ServiceSurface, tool: ToolSurface | null, finding: Finding): Change {
  const location = { service, tool: tool?.name ?? null, file: tool?.file ?? file };
  const level = RULES[finding.rule].level;
  return {
    ...finding,
    ...location,
    level,
    fingerprint: fingerprintOf({ ...finding, ...location }),
    acknowledged: null,
  };
}
