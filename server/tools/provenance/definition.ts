/** Names the definition of each tool by its digest: what was reviewed, as the gateway has loaded it. */

import { hash } from 'node:crypto';
import type { Connector, HandWrittenTool, Tool } from '../../contract/index.ts';
import { type AnyTool, allToolsOf, usedTools } from '../catalogue/hand-written.ts';

/**
 * The digests by name of tool.
 *
 * A digest covers the tool, the tools that its code calls, and what the service decides for every call: servers, credential,
 * what errors mean, caps. Not the words and the logo of the service, and not what only finds tools.
 *
 * Computed from what is loaded, so that a file which was changed after its review has another digest, whatever is next to it.
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

/** In this order, whatever that of the file is. Functions are no JSON: the code of a hand-written tool is there as its own digest. */
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
