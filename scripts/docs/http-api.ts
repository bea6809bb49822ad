/** The reference page of the HTTP API's operations. */

import { parse } from 'yaml';
import { emitGatewayDescription } from './gateway-openapi.ts';
import { code, table } from './markdown.ts';

const DESCRIPTION = 'gateway-openapi.yaml';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

interface Operation {
  readonly tags: readonly [string, ...string[]];
  readonly operationId: string;
  readonly summary: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<(typeof METHODS)[number], Operation>>>>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, { readonly description: string }>> };
}

const HEAD = `# HTTP API

Every operation of the gateway for machines, by audience. [${DESCRIPTION}](${DESCRIPTION}) describes requests and answers (OpenAPI 3.1); each gateway serves it, with its own
address, at \`/api/openapi.yaml\`. Find an operation in it by its id. What can go wrong: [Errors](errors.md).
`;

/** Pages that explain the operations of a tag. A tag without one is not linked. */
const EXPLAINED: Readonly<Record<string, string>> = {
  MCP: '[The tools on the wire](tools.md) explains it.',
  Discovery: '[MCP clients](../guides/clients.md) find these from the 401 of the MCP endpoint.',
  OAuth: '[MCP clients](../guides/clients.md); each rule and its test: [test/requirements](../../test/requirements).',
  Partners: '[The partner guide](../guides/partners.md) goes through them with commands to run.',
  Health: '[Watching the gateway](../guides/monitoring.md#health-and-logs) explains them.',
};

/** Every operation, in the order of the OpenAPI description. */
export async function emitHttpApiPage(): Promise<string> {
  const { tags, paths, components } = parse(await emitGatewayDescription()) as Document;
  const operations = Object.entries(paths).flatMap(([route, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ ...operation, route: `${method.toUpperCase()} ${route}` }];
    }),
  );
  const untagged = operations.find((operation) => !tags.some(({ name }) => name === operation.tags[0]));
  if (untagged !== undefined) throw new Error(`${untagged.operationId} has a tag that ${DESCRIPTION} does not list`);
  const sections = tags.map(({ name, description }) => {
    const rows = operations
      .filter((operation) => operation.tags[0] === name)
      .map(({ route, summary, security, operationId }) => [
        code(route),
        summary,
        toCredentials(security),
        code(operationId),
      ]);
    const explained = [description, EXPLAINED[name]].filter((text) => text !== undefined).join(' ');
    return `## ${name}\n\n${explained}\n\n${table(['Operation', 'What it does', 'Credentials', 'Id'], rows)}`;
  });
  const schemes = Object.entries(components.securitySchemes).map(([name, { description }]) => [
    code(name),
    description,
  ]);
  return [HEAD, ...sections, `## Credentials\n\n${table(['Name', 'What it is'], schemes)}`].join('\n');
}

/**
 * Alternatives, any of which is enough. An empty one after `client` means that a form body may hold the credentials instead.
 */
function toCredentials(security: Operation['security']): string {
  const kinds = (security ?? []).map((one) => Object.keys(one).map(code).join(' and '));
  if (kinds.length === 0) return 'none';
  return kinds[0] === '' ? kinds.map((kind) => kind || 'none').join(' or ') : kinds.filter(Boolean).join(' or ');
}
