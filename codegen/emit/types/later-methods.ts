/** Types of operations whose methods openapi-typescript does not know: it reads only the eight of OpenAPI 3.1. */

import ts from 'typescript';
import { setMember } from '../../json.ts';
import { wordSet } from '../../word-set.ts';
import { type Json, toObject } from './document-walk.ts';

const KNOWN_METHODS = wordSet('get put post delete options head patch trace');

/** Keys of a path item that are not methods. */
const NON_METHOD_KEYS = wordSet('$ref summary description servers parameters');

/** A placeholder for one operation until its type exists: the `post` of a path that no descriptor has. */
interface StandIn {
  readonly path: string;
  readonly method: string;
}

/**
 * Moves such operations to separate paths.
 *
 * @param document changed in place
 * @returns the operations, by the names of these paths
 */
export function moveLaterMethods(document: Json): ReadonlyMap<string, StandIn> {
  const paths = toObject(document.paths);
  const movedOperations = new Map<string, StandIn>();
  for (const [path, value] of Object.entries(paths)) {
    const item = toObject(value);
    for (const method of Object.keys(item)) {
      if (KNOWN_METHODS.has(method) || NON_METHOD_KEYS.has(method) || method.startsWith('x-')) continue;
      const name = `${method} ${path}`;
      setMember(paths, name, { parameters: item.parameters, post: item[method] });
      movedOperations.set(name, { path, method });
      delete item[method];
    }
  }
  return movedOperations;
}

/**
 * Puts their types where they belong: `paths['/notes']['query']`.
 *
 * @param nodes of `schema.d.ts`; those of `paths` are changed
 */
export function restoreLaterMethods(nodes: readonly ts.Node[], movedOperations: ReadonlyMap<string, StandIn>): void {
  const paths = nodes.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === 'paths');
  if (movedOperations.size === 0 || paths === undefined || !ts.isInterfaceDeclaration(paths)) return;
  const types = new Map(paths.members.map((member) => [nameOf(member), member]));
  const typeOf = (path: string) => {
    const member = types.get(path);
    return member !== undefined && ts.isPropertySignature(member) && member.type ? member.type : null;
  };
  for (const [name, { path, method }] of movedOperations) {
    const [from, to] = [typeOf(name), typeOf(path)];
    if (from === null || to === null || !ts.isTypeLiteralNode(from) || !ts.isTypeLiteralNode(to)) continue;
    const operation = from.members.find((member) => nameOf(member) === 'post');
    if (operation === undefined || !ts.isPropertySignature(operation)) continue;
    const key = /^[A-Za-z_$][\w$]*$/.test(method)
      ? ts.factory.createIdentifier(method)
      : ts.factory.createStringLiteral(method);
    const signature = ts.factory.updatePropertySignature(
      operation,
      operation.modifiers,
      key,
      undefined,
      operation.type,
    );
    Object.assign(to, { members: ts.factory.createNodeArray([...to.members, signature]) });
  }
  const remainingMembers = paths.members.filter((member) => !movedOperations.has(nameOf(member)));
  Object.assign(paths, { members: ts.factory.createNodeArray(remainingMembers) });
}

function nameOf({ name }: ts.TypeElement): string {
  return name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : '';
}
