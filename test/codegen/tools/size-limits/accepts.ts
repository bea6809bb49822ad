/** What a published input schema must be, whatever became of it on the way. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Schema } from '../../../../codegen/model/types.ts';

/** @throws {Error} where Ajv refuses the schema, for instance because a reference leads nowhere */
export function accepting(schema: Schema): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (value) => validate(value) === true;
}

/** @throws {Error} as `accepting` */
export function accepts(schema: Schema, value: unknown): boolean {
  return accepting(schema)(value);
}

/** Names of definitions that nothing refers to, and of references that lead nowhere. */
export function danglingNames(schema: Schema): readonly string[] {
  const text = JSON.stringify(schema);
  const used = new Set([...text.matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map((match) => match[1] ?? ''));
  const defined = new Set(Object.keys((schema.$defs ?? {}) as Schema));
  return [...used, ...defined].filter((name) => !used.has(name) || !defined.has(name));
}

/** Characters of equal objects inside a schema that are longer than `minChars`, each beyond its first. */
export function repeatedChars(schema: Schema, minChars: number): number {
  const seen = new Set<string>();
  let chars = 0;
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    const text = JSON.stringify(value);
    if (!Array.isArray(value) && ('type' in value || 'anyOf' in value || 'oneOf' in value) && text.length > minChars) {
      if (seen.has(text)) {
        chars += text.length;
        return;
      }
      seen.add(text);
    }
    for (const member of Object.values(value)) visit(member);
  };
  visit(schema);
  return chars;
}
