/** Tells operations apart whose paths differ in their fragments alone: by what the body of each must have. */

import { toRecord } from '../json.ts';
import type { ModelContext } from './context.ts';
import { childEntries, childNode, type DescriptorNode, dereference } from './descriptor-node.ts';
import type { OperationDeclaration } from './operation.ts';

/** Returns true if every body of `declaration` has a member that no body of `other` has. */
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
