/**
 * The type of an argument as `TOOLS.md` shows it: with the members of its objects, as far as they fit in a table cell.
 */

import { isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { followLocal } from '../../tools/schema/walk.ts';
import { toTypeScriptType } from '../json-schema-type.ts';
import { propertyKey } from '../literal.ts';

/** Levels of nested objects. */
const MAX_DEPTH = 3;
const MAX_MEMBERS = 12;
/** Longer types show fewer levels. */
const MAX_CHARS = 320;
/** A type that is longer even without any levels becomes `unknown`. */
const MAX_FLAT_CHARS = 4000;
/** Replaces a part that is too long, so that every type around it is too long as well. */
const TOO_LONG = ' '.repeat(MAX_CHARS + 1);

/** Writes the type of a schema anywhere in the root. */
type MemberTypes = (schema: Schema) => string;

/**
 * Creates a writer of types such as `{ id: string; tags?: string[] }`, with as many levels as fit. Each definition is written once for each level,
 * however many members refer to it. A definition that refers to itself within the same level is `unknown`.
 *
 * @param root the schema that local references point into.
 */
export function createMemberTypes(root: Schema): MemberTypes {
  const byDepth = Array.from({ length: MAX_DEPTH + 1 }, () => new Map<Schema, string>());

  const write = (schema: Schema, depth: number): string => {
    const target = followLocal(schema, root);
    const cache = target === schema ? undefined : byDepth[depth];
    const cachedText = cache?.get(target);
    if (cachedText !== undefined) return cachedText;
    cache?.set(target, 'unknown');
    const text = toTypeScriptType(target, {
      part: (part) => write(part, depth),
      object: (object) => writeObject(object, depth),
    });
    const limitedText =
      depth > 0 ? limitLength(text, MAX_CHARS, TOO_LONG) : limitLength(text, MAX_FLAT_CHARS, 'unknown');
    cache?.set(target, limitedText);
    return limitedText;
  };

  const writeObject = ({ properties, required, additionalProperties: values }: Schema, depth: number): string => {
    const members = isRecord(properties) ? Object.entries(properties) : [];
    if (members.length === 0) {
      const hasValues = depth > 0 && isRecord(values) && Object.keys(values).length > 0;
      return `Record<string, ${hasValues ? write(values, depth - 1) : 'unknown'}>`;
    }
    if (depth === 0) return 'object';
    const requiredNames: readonly unknown[] = Array.isArray(required) ? required : [];
    const memberTexts = members.slice(0, MAX_MEMBERS).map(([name, member]) => {
      const type = isRecord(member) ? write(member, depth - 1) : 'unknown';
      return `${propertyKey(name)}${requiredNames.includes(name) ? '' : '?'}: ${type}`;
    });
    const omission = members.length > MAX_MEMBERS ? [`/* and ${members.length - MAX_MEMBERS} more */`] : [];
    return `{ ${[...memberTexts, ...omission].join('; ')} }`;
  };

  return (schema) => {
    for (let depth = MAX_DEPTH; depth > 0; depth -= 1) {
      const text = write(schema, depth);
      if (text.length <= MAX_CHARS) return text;
    }
    return write(schema, 0);
  };
}

function limitLength(text: string, maxChars: number, fallback: string): string {
  return text.length > maxChars ? fallback : text;
}
