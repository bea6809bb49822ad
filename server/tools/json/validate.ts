/** Validators of input and output schemas: compiled at their first use, then kept. */

import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, Options } from 'ajv/dist/2020.js';
import { compilePattern } from '../../../patterns/index.ts';
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

/** A descriptor's pattern may not decide how long a text takes to check. */
const LINEAR = { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) };

const OPTIONS: Options = { strict: false, logger: false, ownProperties: true, code: LINEAR };

/**
 * Creates the validators. Schemas are 2020-12 and refer to nothing outside themselves.
 *
 * Whatever a schema says, a check takes time in proportion to the value: patterns run in linear time.
 *
 * @throws {PatternError} at the first use of a schema with a pattern that cannot.
 */
export function createValidators(): Validators {
  const kept = new WeakMap<ObjectSchema, Validator>();
  let compilers: ReturnType<typeof createCompilers> | null = null;

  return (schema) => {
    const known = kept.get(schema);
    if (known !== undefined) return known;
    compilers ??= createCompilers();
    const { first, all } = compilers;
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

/** Loads the library: the gateway starts, and answers with lists, without it. */
function createCompilers(): Record<'first' | 'all', Ajv2020> {
  const load = createRequire(import.meta.url);
  const { Ajv2020 } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const addFormats = load('ajv-formats') as typeof import('ajv-formats');
  // `verbose` gives the errors the schema and the value that they speak of.
  const first = new Ajv2020({ ...OPTIONS, verbose: true });
  const all = new Ajv2020({ ...OPTIONS, allErrors: true, verbose: true });
  for (const ajv of [first, all]) {
    addFormats.default(ajv);
    // The expression that ajv-formats has for it takes quadratic time (measured).
    ajv.addFormat('url', isWebUrl);
  }
  return { first, all };
}

function isWebUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text);
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
