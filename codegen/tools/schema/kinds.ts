/** The possible types of a value, through references and alternatives. */

import type { Schema } from '../../model/types.ts';
import { mergeAllOf } from './merge.ts';
import { alternativesOf, type Resolve, typesOf } from './readers.ts';

/** Maximum depth of nested alternatives that are followed; a schema's alternatives may lead back to it. */
export const MAX_ALTERNATIVE_DEPTH = 4;

/** Returns the possible types of a value, through references and alternatives. Empty for any type. */
export function kindsOf(schema: Schema, resolve: Resolve, depth = 0): ReadonlySet<string> {
  const { schema: merged } = mergeAllOf(schema, resolve);
  const variants = depth < MAX_ALTERNATIVE_DEPTH ? alternativesOf(merged) : [];
  return new Set([...typesOf(merged), ...variants.flatMap((variant) => [...kindsOf(variant, resolve, depth + 1)])]);
}
