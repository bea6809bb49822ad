/** Reads alternatives that are no real choice as one list of types. */

import type { Schema } from '../../model/types.ts';
import { toPlainText } from '../words/plain-text.ts';
import { joinSentences } from '../words/texts.ts';
import { toTypeKeyword } from './nulls.ts';
import { typesOf } from './readers.ts';

/** One type list for alternatives that are nothing but scalar types with words, or null. */
export function toPlainType(
  variants: readonly Schema[],
): { readonly type: string | readonly string[]; readonly words: Schema } | null {
  const isPlain = (variant: Schema) =>
    variant.type !== undefined &&
    Object.keys(variant).every((keyword) => keyword === 'type' || keyword === 'description');
  if (!variants.every(isPlain)) return null;
  const types = [...new Set(variants.flatMap(typesOf))];
  if (types.some((type) => type === 'object' || type === 'array')) return null;
  const texts = new Set(variants.map((variant) => toPlainText(variant.description)).filter((text) => text !== ''));
  return { type: toTypeKeyword(types), words: texts.size === 0 ? {} : { description: joinSentences(...texts) } };
}
