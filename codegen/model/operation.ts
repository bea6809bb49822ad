/** Path Item and Operation Objects (OpenAPI 3.1 §4.8.9, §4.8.10), and what a service sends by itself: webhooks (§4.8.1) and callbacks (§4.8.18). */

import { toRecord } from '../json.ts';
import type { McpOperation } from '../load/mcp/index.ts';
import { buildBody, buildResponses } from './contents.ts';
import type { ModelContext } from './context.ts';
import { childEntries, childNode, type DescriptorNode, dereference, toText } from './descriptor-node.ts';
import { METHODS } from './methods.ts';
import { buildParameters } from './parameter.ts';
import { readKey } from './path-key.ts';
import { buildSecurity } from './security.ts';
import type { OperationLevels, ServiceServers } from './servers.ts';
import type {
  Method,
  OperationModel,
  ParameterModel,
  Schema,
  SecurityAlternative,
  SecuritySchemeModel,
  ServiceModel,
} from './types.ts';

/** One operation with its place. */
export interface OperationDeclaration extends OperationLevels {
  readonly path: string;
  readonly method: Method;
}

/** Every operation of `paths`, sorted by path and method in code units. Webhooks and callbacks are not operations of the service. */
export function findOperations(context: ModelContext, root: DescriptorNode): OperationDeclaration[] {
  const paths = childEntries(childNode(root, 'paths')).filter(({ name }) => name.startsWith('/'));
  paths.sort((left, right) => (left.name < right.name ? -1 : 1));
  return paths.flatMap(({ name: path, node: item }) => {
    const target = dereference(context.document, item);
    const standard = METHODS.map((method) => {
      const key = method.toLowerCase();
      const itemOperation = childNode(item, key);
      return { method, operation: itemOperation.value === undefined ? childNode(target, key) : itemOperation };
    });
    const additionalOperations = [...new Set([target, item])].flatMap((owner) =>
      childEntries(childNode(owner, 'additionalOperations'))
        .filter(({ name }) => !name.startsWith('x-'))
        .map(({ name, node: operationNode }) => ({ method: name, operation: operationNode })),
    );
    const byMethod = new Map<Method, DescriptorNode>(
      [...standard, ...additionalOperations].map(({ method, operation }) => [method, operation]),
    );
    return [...byMethod]
      .filter(([, { value }]) => value !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([method, operation]) => ({ path, method, pathItem: target, operation }));
  });
}

/** Reads nothing before it is asked: descriptors have hundreds of webhooks, of which few become events. */
export function createEventReader(
  context: ModelContext,
  root: DescriptorNode,
): Pick<ServiceModel, 'eventNames' | 'eventOf'> {
  const resolveNode = (node: DescriptorNode): DescriptorNode => dereference(context.document, node);
  const readEventNodes = (): Map<string, DescriptorNode> => {
    const webhooks = childEntries(childNode(root, 'webhooks')).map(
      ({ name, node: webhookNode }) => [name, webhookNode] as const,
    );
    const callbacks = findOperations(context, root).flatMap(({ operation }) => {
      const id = toText(childNode(operation, 'operationId').value);
      return childEntries(childNode(operation, 'callbacks')).flatMap(({ name, node: callbackNode }) =>
        childEntries(resolveNode(callbackNode)).map((item) => [`${id}#${name}`, item.node] as const),
      );
    });
    return new Map([...webhooks, ...callbacks]);
  };
  return {
    eventNames: () => [...readEventNodes().keys()],
    eventOf(name) {
      const item = readEventNodes().get(name);
      const eventOperation =
        item && ['post', 'put'].map((method) => childNode(resolveNode(item), method)).find(({ value }) => value);
      if (eventOperation === undefined) return null;
      const contents = childEntries(childNode(resolveNode(childNode(eventOperation, 'requestBody')), 'content'));
      const json = contents.find((mediaType) => /[/+]json\b/.test(mediaType.name));
      return json === undefined ? null : context.schemaAt(childNode(json.node, 'schema'));
    },
  };
}

/** Returns true if the first body of `declaration` requires a member that the first one of `other` does not list. */
export function differsInBody(
  context: ModelContext,
  declaration: OperationDeclaration,
  other: OperationDeclaration,
): boolean {
  const { required } = bodySchemaOf(context, declaration);
  const { properties } = bodySchemaOf(context, other);
  return Array.isArray(required) && required.some((name) => !Object.hasOwn(toRecord(properties), String(name)));
}

/** The schema of the first media type; empty without one. */
function bodySchemaOf(context: ModelContext, { operation }: OperationDeclaration): Readonly<Record<string, unknown>> {
  const follow = (node: DescriptorNode) => dereference(context.document, node);
  const [content] = childEntries(childNode(follow(childNode(operation, 'requestBody')), 'content'));
  return content === undefined ? {} : toRecord(follow(childNode(follow(content.node), 'schema')).value);
}

interface OperationDefaults extends Pick<ServiceServers, 'serverOf'> {
  readonly schemes: readonly SecuritySchemeModel[];
  readonly security: readonly SecurityAlternative[];
  /** True if no other operation could send the same request without its fragment. */
  readonly isOnly: (declaration: OperationDeclaration) => boolean;
  readonly resolve: (ref: string) => Schema;
  /** Operations that an earlier stage refused, and why, by pointer. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
  readonly mcp: ReadonlyMap<string, McpOperation>;
}

/** A fault in the request affects this operation alone: the others still become tools. */
export function buildOperation(
  context: ModelContext,
  declaration: OperationDeclaration,
  defaults: OperationDefaults,
): OperationModel {
  const { path, method, pathItem, operation } = declaration;
  const source = toRecord(operation.value);
  const refusals = defaults.refused.get(operation.pointer);
  const faults = [...(refusals ?? [])];
  const request: ModelContext = {
    ...context,
    report: (code, pointer, message, fix) => {
      faults.push(message);
      context.report(code, pointer, message, fix);
    },
  };
  const declared = buildParameters(request, pathItem, operation);
  const keyReading = readKey({ key: path, method }, declared, defaults.isOnly(declaration), defaults.resolve);
  const { target, parameters } = keyReading;
  if (refusals === undefined) {
    for (const fault of keyReading.faults) request.report('path-unsendable', operation.pointer, fault);
    checkPathParameters(request, declaration, target === null ? path : `${target.path}?${target.query}`, parameters);
  }
  if (target !== null && target.query !== '' && parameters.some(({ isWholeQuery }) => isWholeQuery)) {
    const message = `${method} ${path} has a query of its own, and a parameter that is all of the query.`;
    request.report('path-unsendable', operation.pointer, message);
  }
  if (leavesBase(path)) {
    request.report('path-leaves-base', operation.pointer, `${method} ${path} does not stay below its base URL.`);
  }
  const body = buildBody(request, operation);
  // The requirement of an operation replaces the descriptor's (OpenAPI 3.1 §4.8.10, `security`).
  const declaredSecurity = buildSecurity(context, operation, defaults.schemes);
  return {
    id: toText(source.operationId) || null,
    method,
    path,
    target: target ?? undefined,
    summary: toText(source.summary) || toText(toRecord(pathItem.value).summary),
    description: toText(source.description) || toText(toRecord(pathItem.value).description),
    deprecated: source.deprecated === true,
    tags: Array.isArray(source.tags) ? source.tags.filter((tag) => typeof tag === 'string') : [],
    server: defaults.serverOf(declaration),
    parameters,
    body,
    responses: buildResponses(context, operation),
    security: declaredSecurity ?? defaults.security,
    declaresSecurity: declaredSecurity !== null || undefined,
    faults,
    pointer: operation.pointer,
    mcp: defaults.mcp.get(operation.pointer),
  };
}

/**
 * True if some server may read a path as one above its base URL, or as another host: dot segments and empty segments,
 * in any encoding.
 */
function leavesBase(path: string): boolean {
  const plain = path.replaceAll(/%(?:25)*2e/gi, '.').replaceAll(/%(?:25)*(?:2f|5c)|\\/gi, '/');
  return plain.startsWith('//') || plain.split(/[/?#;]/).some((segment) => segment === '.' || segment === '..');
}

/** Rule: the placeholders of a path and its path parameters have the same names. */
function checkPathParameters(
  context: ModelContext,
  declaration: OperationDeclaration,
  template: string,
  parameters: readonly ParameterModel[],
): void {
  const placeholders = new Set([...template.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? ''));
  const declared = parameters.filter((parameter) => parameter.in === 'path');
  const operationName = `${declaration.method} ${declaration.path}`;
  for (const name of placeholders) {
    if (declared.some((parameter) => parameter.name === name)) continue;
    context.report(
      'path-parameter-undeclared',
      declaration.operation.pointer,
      `${operationName} does not declare {${name}}.`,
    );
  }
  for (const { name, pointer } of declared) {
    if (placeholders.has(name)) continue;
    context.report('path-parameter-unused', pointer, `The path of ${operationName} has no {${name}}.`);
  }
}
