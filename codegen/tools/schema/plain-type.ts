/** Reads alternatives that are not a real choice as one list of types. */

import type { Schema } from '../../model/types.ts';
import { toPlainText } from '../words/plain-text.ts';
import { joinSentences } from '../words/texts.ts';
import { toTypeKeyword } from './nulls.ts';
import { typesOf } from './readers.ts';

interface PlainType {
  readonly type: string | readonly string[];
  readonly words: Schema;
  /** True if a value can have the types of two alternatives, which `oneOf` rejects. */
  readonly isRepeated: boolean;
}

/** One type list for alternatives that are only scalar types with texts, or null. */
export function toPlainType(variants: readonly Schema[]): PlainType | null {
  const isPlain = (variant: Schema) =>
    variant.type !== undefined &&
    Object.keys(variant).every((keyword) => keyword === 'type' || keyword === 'description');
  if (!variants.every(isPlain)) return null;
  const all = variants.flatMap((variant) => [...new Set(typesOf(variant))]);
  const types = [...new Set(all)];
  const isRepeated = types.length < all.length || (types.includes('integer') && types.includes('number'));
  if (types.some((type) => type === 'object' || type === 'array')) return null;
  const texts = new Set(variants.map((variant) => toPlainText(variant.description)).filter((text) => text !== ''));
  const words = texts.size === 0 ? {} : { description: joinSentences(...texts) };
  return { type: toTypeKeyword(types), words, isRepeated };
}
