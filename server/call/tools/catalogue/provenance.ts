/** The connectors that a gateway serves: with the provenance of their tools, and only reviewed tools if required. */

import { hash } from 'node:crypto';
import type { Connector, HandWrittenTool, Tool } from '../../../contract/index.ts';
import { type AnyTool, allToolsOf, usedTools } from './permitted.ts';

/** Names of the tools of a connector, and addresses of its skills, whose definitions were reviewed. */
export type ReviewedOf = (connector: Connector) => ReadonlySet<string>;

/** A tool or service that is not served because it, or a call that it needs, was not reviewed. */
export interface Unreviewed {
  readonly service: string;
  /** Name of the tool that is left out. Null for the complete service. */
  readonly tool: string | null;
  readonly reason: string;
}

const NOT_REVIEWED = 'no review approved its definition, and REQUIRE_REVIEWED is set';

/**
 * Returns the connectors with the provenance of their tools.
 *
 * A service is left out completely if it would verify a credential with a call that was not reviewed, or has no reviewed tool: its servers may have
 * changed, and it must not get a credential.
 *
 * @param reviewedOf finds the reviewed tools, or null if everything is served.
 */
export function toServed(
  connectors: readonly Connector[],
  reviewedOf: ReviewedOf | null,
): { readonly connectors: readonly Connector[]; readonly unreviewed: readonly Unreviewed[] } {
  if (reviewedOf === null) return { connectors: connectors.map(withProvenance), unreviewed: [] };
  const unreviewed: Unreviewed[] = [];
  const served = connectors.flatMap((connector) => {
    const service = connector.name;
    const reviewed = reviewedOf(connector);
    const needed = [connector.verify?.tool, connector.account?.tool].filter((tool) => tool !== undefined);
    const missing = needed.find((tool) => !reviewed.has(tool));
    if (missing !== undefined || reviewed.size === 0) {
      const reason = missing === undefined ? NOT_REVIEWED : `${NOT_REVIEWED}: it reads ${missing} when a user connects`;
      unreviewed.push({ service, tool: null, reason });
      return [];
    }
    const skills = Object.keys(connector.skills ?? {}).map((name) => ({ name: addressOfSkill(service, name) }));
    for (const { name } of [...allToolsOf(connector), ...skills]) {
      if (!reviewed.has(name)) unreviewed.push({ service, tool: name, reason: NOT_REVIEWED });
    }
    return [onlyReviewed(withProvenance(connector), reviewed)];
  });
  return { connectors: served, unreviewed };
}

function onlyReviewed(connector: Connector, reviewed: ReadonlySet<string>): Connector {
  const { tools, handWritten, skills = {} } = connector;
  const isServed = (tool: AnyTool) =>
    reviewed.has(tool.name) && usedTools(connector, tool).every(({ name }) => reviewed.has(name));
  const reviewedSkills = Object.entries(skills).filter(([name]) => reviewed.has(addressOfSkill(connector.name, name)));
  const served = { ...connector, tools: tools.filter(isServed), skills: Object.fromEntries(reviewedSkills) };
  return handWritten === undefined ? served : { ...served, handWritten: handWritten.filter(isServed) };
}

/** The URI of the folder of a skill. */
export function addressOfSkill(service: string, name: string): string {
  return `skill://${service}/${name}`;
}

/**
 * Returns the digests by tool name, and those of skills by their address.
 *
 * A digest covers the tool, the tools that its code calls, and the service's settings for every call: servers,
 * credential, error rules, caps. It does not cover the service's texts and logo, or data that is only used to find
 * tools.
 *
 * It is computed from the loaded connector, so a file that changed after its review has another digest.
 */
export function definitionsOf(connector: Connector): ReadonlyMap<string, string> {
  const shared = digestOf([sharedOf(connector)]);
  const digests = new Map<string, string>();
  for (const tool of allToolsOf(connector)) {
    const used = usedTools(connector, tool).filter((one) => one !== tool);
    digests.set(tool.name, digestOf([shared, definitionOf(tool), ...used.map(definitionOf)]));
  }
  for (const [name, skill] of Object.entries(connector.skills ?? {})) {
    digests.set(addressOfSkill(connector.name, name), digestOf([skill]));
  }
  return digests;
}

/** The connector with the provenance of each tool. */
export function withProvenance(connector: Connector): Connector {
  const definitions = definitionsOf(connector);
  const { tools, handWritten } = connector;
  const add = <Of extends Tool | HandWrittenTool>(tool: Of): Of => ({
    ...tool,
    provenance: { definition: definitions.get(tool.name) ?? '' },
  });
  const withTools = { ...connector, tools: tools.map(add) };
  return handWritten === undefined ? withTools : { ...withTools, handWritten: handWritten.map(add) };
}

function sharedOf(connector: Connector): object {
  const {
    title: _,
    description: __,
    categories: ___,
    logo: ____,
    synonyms: _____,
    skills: ______,
    ...rest
  } = connector;
  return { ...rest, tools: undefined, handWritten: undefined };
}

/**
 * A fixed order, whatever that of the file. JSON has no functions: `code` is the digest of a hand-written tool's code.
 */
const MEMBERS = [
  ...['name', 'aliases', 'title', 'description', 'uses', 'code', 'operation', 'annotations', 'scopes', 'inputSchema'],
  ...['request', 'idempotency', 'outputSchema', 'agreements', 'reservedSegments', 'page', 'result', 'answersJson'],
  ...['gatewayArguments', 'filters', 'find', 'batch', 'effect', 'approval', 'preview', 'wait', 'rare', 'rules'],
];

function definitionOf(tool: AnyTool): object {
  return { ...Object.fromEntries(MEMBERS.map((name) => [name, undefined])), ...tool, provenance: undefined };
}

function digestOf(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
