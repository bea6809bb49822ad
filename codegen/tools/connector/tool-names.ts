/** Names tools: which scheme a service uses, and what its names begin with. */

import type { OperationModel } from '../../model/types.ts';
import { nameByOperationId } from './names/scheme-1.ts';
import { nameByWords } from './names/scheme-2.ts';
import type { ToolNames } from './names/settle.ts';

export { operationKey } from './names/operation-key.ts';

/** How default names are made. Tools that agents use already keep theirs with an older number. */
export const NAME_SCHEMES = [1, 2] as const;
export type NameScheme = (typeof NAME_SCHEMES)[number];
/** What a service without `names.scheme` gets. */
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
 * A name depends on its own operation, and on others only where they would have the same one: then none of them gets
 * it, whichever comes first, so that no name ever passes from one operation to another.
 */
export function nameTools(
  prefix: string,
  operations: readonly OperationModel[],
  taken: ReadonlySet<string>,
  scheme: NameScheme = NEWEST_SCHEME,
): ToolNames {
  return scheme === 1 ? nameByOperationId(prefix, operations, taken) : nameByWords(prefix, operations, taken);
}
