/** Validators of input and output schemas: compiled at their first use, then kept. */

import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ObjectSchema } from '../../contract/index.ts';

export type { ErrorObject };

/** Checks values against one schema. */
export interface Validator {
  accepts(value: unknown): boolean;
  /** Everything that is wrong; for a value of more than `maxNodes` (default 2000) only the first thing. */
  problems(value: unknown, maxNodes?: number): readonly ErrorObject[];
}

/** Hands out one validator per schema object. */
export type Validators = (schema: ObjectSchema) => Validator;

/** A larger value gets one error instead of all, so that a million wrong elements do not make a million errors. */
const MAX_NODES_FOR_ALL_ERRORS = 2000;

const OPTIONS: Options = { strict: false, logger: false, ownProperties: true };

/** Creates the validators. Schemas are 2020-12 and refer to nothing outside themselves. */
export function createValidators(): Validators {
  // `verbose` gives the errors the schema and the value that they speak of.
  const all = withFormats(new Ajv2020({ ...OPTIONS, allErrors: true, verbose: true }));
  const first = withFormats(new Ajv2020({ ...OPTIONS, verbose: true }));
  const kept = new WeakMap<ObjectSchema, Validator>();

  return (schema) => {
    const known = kept.get(schema);
    if (known !== undefined) return known;
    const accepts = first.compile(schema);
    const validator: Validator = {
      accepts: (value) => accepts(value),
      problems(value, maxNodes = MAX_NODES_FOR_ALL_ERRORS) {
        if (accepts(value)) return [];
        const firstErrors = accepts.errors ?? [];
        if (countNodes(value, maxNodes) >= maxNodes) return firstErrors;
        const complete = all.compile(schema);
        return complete(value) ? [] : (complete.errors ?? firstErrors);
      },
    };
    kept.set(schema, validator);
    return validator;
  };
}

function withFormats(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv);
  return ajv;
}

function countNodes(value: unknown, limit: number): number {
  const stack: unknown[] = [value];
  let count = 0;
  while (stack.length > 0 && count < limit) {
    const node = stack.pop();
    count += 1;
    if (typeof node !== 'object' || node === null) continue;
    for (const member of Object.values(node)) {
      if (count + stack.length >= limit) return limit;
      stack.push(member);
    }
  }
  return count;
}
