/** Identifies the definition of each tool by a digest, so that it can be compared with the reviewed one. */

import { hash } from 'node:crypto';
import type { Connector, HandWrittenTool, Tool } from '../../../contract/index.ts';
import { type AnyTool, allToolsOf, usedTools } from '../catalogue/hand-written.ts';

/**
 * Returns the digests by tool name.
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
  return digests;
}

/** The connector with the provenance of each tool. */
export function withProvenance(connector: Connector): Connector {
  const definitions = definitionsOf(connector);
  const { descriptor, tools, handWritten } = connector;
  const add = <Of extends Tool | HandWrittenTool>(tool: Of): Of => ({
    ...tool,
    provenance: { ...(descriptor === undefined ? {} : { descriptor }), definition: definitions.get(tool.name) ?? '' },
  });
  return {
    ...connector,
    tools: tools.map(add),
    ...(handWritten === undefined ? {} : { handWritten: handWritten.map(add) }),
  };
}

function sharedOf(connector: Connector): object {
  const { title: _, description: __, categories: ___, logo: ____, search: _____, ...rest } = connector;
  return { ...rest, descriptor: undefined, tools: undefined, handWritten: undefined };
}

/**
 * A fixed order, whatever that of the file. JSON has no functions: `code` is the digest of a hand-written tool's code.
 */
const MEMBERS = [
  ...['name', 'aliases', 'title', 'description', 'uses', 'code', 'operation', 'annotations', 'scopes', 'inputSchema'],
  ...['request', 'idempotency', 'outputSchema', 'agreements', 'reservedSegments', 'page', 'result', 'answersJson'],
  'gatewayArguments',
];

function definitionOf(tool: AnyTool): object {
  return { ...Object.fromEntries(MEMBERS.map((name) => [name, undefined])), ...tool, provenance: undefined };
}

function digestOf(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
