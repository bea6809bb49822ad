/** Names tools: the naming scheme of a service, and the prefix of its names. */

import type { OperationModel } from '../../model/types.ts';
import { nameByOperationId } from './names/scheme-1.ts';
import { nameByWords } from './names/scheme-2.ts';
import type { ToolNames } from './names/settle.ts';

export { operationKey } from './names/operation-key.ts';

/** Naming schemes. Tools that agents already use keep their names with an older number. */
export const NAME_SCHEMES = [1, 2] as const;
export type NameScheme = (typeof NAME_SCHEMES)[number];
/** The scheme of a service without `names.scheme`. */
export const NEWEST_SCHEME: NameScheme = 2;

/** Prefix of default names: the folder's name in `[a-z][a-z0-9_]*`. */
export function toToolPrefix(service: string): string {
  const prefix = service
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return /^[a-z]/.test(prefix) ? prefix : `api_${prefix}`.replace(/_$/, '');
}

/**
 * Default names of operations, unique among themselves and against `taken`.
 *
 * A name depends only on its own operation, unless several would get the same name: then none of them gets it, whatever
 * their order, so that a name never moves from one operation to another.
 */
export function nameTools(
  prefix: string,
  operations: readonly OperationModel[],
  taken: ReadonlySet<string>,
  scheme: NameScheme = NEWEST_SCHEME,
): ToolNames {
  return scheme === 1 ? nameByOperationId(prefix, operations, taken) : nameByWords(prefix, operations, taken);
}
