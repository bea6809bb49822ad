/** Finds the operation of a request by method, path, and the query that a key in `paths` requires. */

import { decodeText, type QueryPair } from '../decode/query.ts';
import type { SandboxOperation } from '../descriptor/operations.ts';
import type { QueryNeed } from '../descriptor/path-key.ts';
import type { SandboxRequest } from '../http.ts';

/** The operation; the allowed methods if the path has only others; null if no operation matches. */
export type Match = { readonly operation: SandboxOperation } | { readonly allow: readonly string[] } | null;

/** A request with its query in pairs. */
export interface IncomingRequest extends Omit<SandboxRequest, 'url'> {
  readonly query: readonly QueryPair[];
}

interface Route {
  readonly operation: SandboxOperation;
  readonly pattern: RegExp;
  /** Number of literal characters in the path; infinite for a path without parameters. */
  readonly weight: number;
}

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE', 'QUERY'];

/**
 * The path with the most literal characters wins; among operations that share path and method, the one whose key in `paths`
 * requires the most.
 */
export function createRouter(operations: readonly SandboxOperation[]): (request: IncomingRequest) => Match {
  const routes = operations.map(toRoute).sort((a, b) => b.weight - a.weight);
  return (request) => {
    const pathRoutes = routes.filter(({ pattern }) => pattern.test(request.pathname));
    const methodRoutes = pathRoutes.filter(({ operation }) => operation.method === request.method);
    const [route] = methodRoutes
      .filter(({ operation }) => needsOf(operation).every((need) => meetsNeed(request, need)))
      .toSorted((a, b) => b.weight - a.weight || needsOf(b.operation).length - needsOf(a.operation).length);
    if (route !== undefined) return { operation: route.operation };
    if (methodRoutes.length > 0 || pathRoutes.length === 0) return null;
    const allow = new Set(pathRoutes.map(({ operation }) => operation.method));
    const standardMethods = METHODS.filter((method) => allow.has(method));
    return { allow: [...new Set([...standardMethods, ...allow])] };
  };
}

function toRoute(operation: SandboxOperation): Route {
  const literals = operation.route.split(/\{[^{}]+\}/);
  const escaped = literals.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const weight = literals.length === 1 ? Number.POSITIVE_INFINITY : literals.join('').length;
  return { operation, pattern: new RegExp(`^${escaped.join('[^/]+')}$`), weight };
}

/** Returns the parameters that the key requires. Its fragment counts only for parameters that the operation requires anyway. */
function needsOf({ key, parameters }: SandboxOperation): readonly QueryNeed[] {
  const isRequired = ({ name }: QueryNeed) =>
    parameters.some(
      (parameter) =>
        parameter.required && parameter.name.toLowerCase() === name.toLowerCase() && isQueryOrHeader(parameter.in),
    );
  return [...key.query, ...key.fragment.filter(isRequired)];
}

function isQueryOrHeader(parameterIn: string): boolean {
  return parameterIn === 'query' || parameterIn === 'header';
}

function meetsNeed({ query, headers }: IncomingRequest, { name, value }: QueryNeed): boolean {
  const texts = query.filter((pair) => pair.name === name).map(({ raw }) => decodeText(raw));
  const header = headers[name.toLowerCase()];
  const values = header === undefined ? texts : [...texts, header];
  return value === null ? values.length > 0 : values.includes(value);
}
