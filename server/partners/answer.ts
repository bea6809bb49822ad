/** Writes the answers of the partner API by their schemas, from rows whose members are named in camelCase. */

import { z } from 'zod';
import { type Camel, toCamel } from '../base/store/rows.ts';

type RowValue<Value> =
  Value extends z.core.$brand<'time'>
    ? number | string
    : Value extends readonly (infer Member)[]
      ? readonly RowValue<Member>[]
      : Value extends object
        ? Row<Value> | { readonly [Name in keyof Value]: RowValue<Value[Name]> }
        : Value;

/** An optional member may also be null, which leaves it out. */
type Row<Members> = {
  readonly [Name in keyof Members as Camel<Name>]:
    | RowValue<Members[Name]>
    | (undefined extends Members[Name] ? null : never);
};

/** Value from which `writeAnswer` writes an answer of this schema: its members, named in camelCase or as in the schema. */
export type AnswerOf<Schema extends z.ZodType> = RowValue<z.output<Schema>>;

/**
 * Returns the JSON of an answer: the members of its schema, in their order, and no others that the value may have.
 *
 * A time is a number of milliseconds since 1970, or already text. A member that is optional and not nullable is left out for null.
 */
export function writeAnswer(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional) {
    const isLeftOut = value === null && !(schema.unwrap() instanceof z.ZodNullable);
    return isLeftOut ? undefined : writeAnswer(schema.unwrap(), value);
  }
  if (value === null || value === undefined) return value;
  if (schema instanceof z.ZodNullable) return writeAnswer(schema.unwrap(), value);
  if (schema instanceof z.ZodArray) return (value as unknown[]).map((member) => writeAnswer(schema.element, member));
  if (schema instanceof z.ZodString && typeof value === 'number') {
    const text = new Date(value).toISOString();
    return schema.meta()?.format === 'date' ? text.slice(0, 'yyyy-mm-dd'.length) : text;
  }
  if (!(schema instanceof z.ZodObject)) return value;
  const row = value as Readonly<Record<string, unknown>>;
  const answer: Record<string, unknown> = {};
  for (const { name, camelCase, member } of membersOf(schema)) {
    answer[name] = writeAnswer(member, Object.hasOwn(row, camelCase) ? row[camelCase] : row[name]);
  }
  return answer;
}

interface Member {
  readonly name: string;
  readonly camelCase: string;
  readonly member: z.core.$ZodType;
}

const membersBySchema = new WeakMap<z.ZodObject, readonly Member[]>();

/** Returns the members of a schema, which are named once for all answers. */
function membersOf(schema: z.ZodObject): readonly Member[] {
  let members = membersBySchema.get(schema);
  if (members === undefined) {
    members = Object.entries(schema.shape).map(([name, member]) => ({ name, camelCase: toCamel(name), member }));
    membersBySchema.set(schema, members);
  }
  return members;
}
