/** Converts a value from an answer to the type of the argument that it becomes. */

import type { ToolFace } from '../../../contract/index.ts';
import { allowsType, isSchema } from '../json/schema-walk.ts';

/** Parses a number or boolean if the argument accepts no text, writes text if it accepts no number; else as it is. */
export function toArgument({ inputSchema }: Pick<ToolFace, 'inputSchema'>, name: string, value: unknown): unknown {
  const { properties } = inputSchema;
  const schema = isSchema(properties) ? properties[name] : undefined;
  if (!isSchema(schema)) return value;
  const allows = (type: string) => allowsType(inputSchema, schema, type);
  if (typeof value === 'number') {
    return !allows('number') && !allows('integer') && allows('string') ? String(value) : value;
  }
  if (typeof value !== 'string' || allows('string')) return value;
  if (
    (allows('integer') && /^-?\d{1,15}$/.test(value)) ||
    (allows('number') && /^-?\d{1,15}(?:\.\d{1,9})?$/.test(value))
  ) {
    return Number(value);
  }
  if (allows('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
