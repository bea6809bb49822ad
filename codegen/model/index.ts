/** Builds the model of one service from its bundled descriptor: pure, and independent of tools. */

import type { Problem } from '../diagnostics.ts';
import type { McpOperation } from '../load/mcp/index.ts';
import type { ModelContext } from './context.ts';
import { childNode, type DescriptorNode, toText } from './descriptor-node.ts';
import {
  buildOperation,
  createEventReader,
  differsInBody,
  findOperations,
  type OperationDeclaration,
} from './operation.ts';
import { requestKey } from './path-key.ts';
import { createSchemaReader } from './schema.ts';
import { buildSecurity, buildSecuritySchemes } from './security.ts';
import { buildServers } from './servers.ts';
import type { OperationModel, ServiceModel } from './types.ts';

interface ServiceInput {
  /** Folder name in `specs/`. */
  readonly name: string;
  /** Path of the descriptor relative to the project's root. */
  readonly file: string;
  /** OpenAPI 3.0 to 3.2, bundled: every `$ref` is local. It is never changed. */
  readonly document: unknown;
  /** Why operations cannot become tools, by their pointers: nothing else in them is read. */
  readonly refused?: ReadonlyMap<string, readonly string[]>;
  /** Tools of an MCP server, by the pointer of the operation that stands for each. Default: none. */
  readonly mcp?: ReadonlyMap<string, McpOperation>;
}

/**
 * The model, and every problem in the descriptor that prevents correct tools.
 *
 * Reads all schemas that operations reach, so that `problems` is complete; `resolve` reads any other on demand.
 */
export function buildServiceModel({ name, file, document, refused = new Map(), mcp = new Map() }: ServiceInput): {
  model: ServiceModel;
  problems: Problem[];
} {
  const problems: Problem[] = [];
  const report: ModelContext['report'] = (code, pointer, message, fix) => {
    problems.push({ code, file, pointer, message, fix });
  };
  const root: DescriptorNode = { value: document, pointer: '' };
  const openapi = toText(childNode(root, 'openapi').value).startsWith('3.0') ? '3.0' : '3.1';
  const schemas = createSchemaReader(document, openapi, report);
  const context: ModelContext = { document, openapi, report, schemaAt: schemas.schemaAt };

  const declarations = findOperations(context, root);
  const { servers, serverOf } = buildServers(root, declarations, { keepsSlash: mcp.size > 0 });
  const schemes = buildSecuritySchemes(context, root);
  const security = buildSecurity(context, root, schemes) ?? [];
  const keys = Map.groupBy(declarations, ({ method, path }) => requestKey(method, path));
  const isOnly = (declaration: OperationDeclaration) => {
    const sharing = keys.get(requestKey(declaration.method, declaration.path)) ?? [];
    return sharing.every((other) => other === declaration || differsInBody(context, declaration, other));
  };
  const defaults = { serverOf, schemes, security, isOnly, resolve: schemas.resolve, refused, mcp };
  const builtOperations = declarations.map((declaration) => buildOperation(context, declaration, defaults));
  const operations = withoutSharedIds(context, builtOperations);
  schemas.readReferenced();

  const info = childNode(root, 'info');
  const model: ServiceModel = {
    name,
    file,
    openapi,
    title: toText(childNode(info, 'title').value),
    description: toText(childNode(info, 'description').value) || toText(childNode(info, 'summary').value),
    servers,
    securitySchemes: schemes,
    security,
    operations,
    resolve: schemas.resolve,
    ...createEventReader(context, root),
  };
  return { model, problems };
}

/**
 * Rule: an operationId names one operation. An id that several operations share is dropped from all of them, so that
 * their order does not matter.
 */
function withoutSharedIds(context: ModelContext, operations: readonly OperationModel[]): OperationModel[] {
  const operationsById = new Map<string, OperationModel>();
  const sharedIds = new Set<string>();
  for (const operation of operations) {
    if (operation.id === null) continue;
    const firstOperation = operationsById.get(operation.id);
    if (firstOperation === undefined) operationsById.set(operation.id, operation);
    else {
      const message = `The operationId ${JSON.stringify(operation.id)} is also that of ${firstOperation.method} ${firstOperation.path}.`;
      context.report('operation-id-duplicate', `${operation.pointer}/operationId`, message);
      sharedIds.add(operation.id);
    }
  }
  return operations.map((operation) => (sharedIds.has(operation.id ?? '') ? { ...operation, id: null } : operation));
}
