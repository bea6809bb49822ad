/** Checks a JSON Schema that connector.yaml gives an argument: what is no value of its keyword would be left out unseen. */

import { isRecord } from '../../json.ts';
import { KEYWORDS, toScalar } from '../../model/schema-keywords.ts';
import type { Schema } from '../../model/types.ts';
import type { Reporter } from '../problems.ts';
import type { RefGraph } from '../schema/refs.ts';

/** Returns the schema, or one that accepts anything after a report of `config-constraint`. */
export function checkConfiguredSchema(
  schema: Schema,
  path: readonly string[],
  { resolve }: RefGraph,
  report: Reporter,
): Schema {
  let isValid = true;
  const reject = (at: readonly string[], message: string) => {
    isValid = false;
    report.config('config-constraint', at, message);
  };
  const visit = (value: unknown, at: readonly string[]): void => {
    if (typeof value === 'boolean') return;
    if (!isRecord(value)) {
      reject(at, `A schema must be an object, not ${JSON.stringify(value)}.`);
      return;
    }
    for (const [keyword, member] of Object.entries(value)) visitKeyword(keyword, member, [...at, keyword]);
  };
  const visitKeyword = (keyword: string, member: unknown, at: readonly string[]): void => {
    const shape = KEYWORDS.get(keyword);
    if (shape === undefined) return;
    if (shape === 'schema') visit(member, at);
    else if (shape === 'schemas' && Array.isArray(member)) {
      for (const [index, part] of member.entries()) visit(part, [...at, String(index)]);
    } else if (shape === 'schemaMap' && isRecord(member)) {
      for (const [name, part] of Object.entries(member)) visit(part, [...at, name]);
    } else if (shape === 'reference' && typeof member === 'string') {
      if (!isResolved(member, resolve)) reject(at, `$ref ${JSON.stringify(member)} leads nowhere in the descriptor.`);
    } else if (['schemas', 'schemaMap', 'reference'].includes(shape) || !toScalar(shape, member).isValid) {
      reject(at, `${JSON.stringify(member)} is no value of \`${keyword}\`.`);
    }
  };
  visit(schema, path);
  return isValid ? schema : {};
}

function isResolved(ref: string, resolve: RefGraph['resolve']): boolean {
  try {
    resolve(ref);
    return true;
  } catch {
    return false;
  }
}
