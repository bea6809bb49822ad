/** A value from an answer as the argument that it becomes: of the type that the input schema asks for. */

import type { ToolFace } from '../../contract/index.ts';
import { allowsType, isSchema } from '../json/schema-walk.ts';

/** An integer, a number or a flag where the argument takes no text, and a text where it takes no number; else the value as it is. */
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
