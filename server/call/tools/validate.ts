/** Validators of input and output schemas: compiled at their first use, then cached. */

import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, Options } from 'ajv/dist/2020.js';
import { compilePattern } from '../../../shared/patterns/index.ts';
import type { ObjectSchema } from '../../contract/index.ts';

export type { ErrorObject };

/** Checks values against one schema. */
export interface Validator {
  accepts(value: unknown): boolean;
  /** All problems; for a value of more than `maxNodes` (default 2000), only the first. */
  problems(value: unknown, maxNodes?: number): readonly ErrorObject[];
}

/** Returns one validator per schema object. */
export type Validators = (schema: ObjectSchema) => Validator;

/** A larger value gets only its first error, so that a million wrong elements do not give a million errors. */
const MAX_NODES_FOR_ALL_ERRORS = 2000;

/** Patterns run in linear time, so that no descriptor decides how long a check takes. */
const LINEAR = { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) };

const OPTIONS: Options = { strict: false, logger: false, ownProperties: true, code: LINEAR };

/**
 * Creates the validators. Schemas are 2020-12 and have no external references.
 *
 * With any schema, a check takes time in proportion to the value, because patterns run in linear time.
 *
 * @throws {PatternError} at the first use of a schema with a pattern that cannot run in linear time.
 */
export function createValidators(): Validators {
  const kept = new WeakMap<ObjectSchema, Validator>();
  let compilers: ReturnType<typeof createCompilers> | null = null;

  return (schema) => {
    const compiled = kept.get(schema);
    if (compiled !== undefined) return compiled;
    compilers ??= createCompilers();
    const { first, all } = compilers;
    const accepts = first.compile(schema);
    const validator: Validator = {
      accepts,
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

/** Loads the library lazily: the gateway starts and serves lists without it. */
function createCompilers(): Record<'first' | 'all', Ajv2020> {
  const load = createRequire(import.meta.url);
  const { Ajv2020 } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const addFormats = load('ajv-formats') as typeof import('ajv-formats');
  // `verbose` adds the schema and the value to errors.
  const first = new Ajv2020({ ...OPTIONS, verbose: true });
  const all = new Ajv2020({ ...OPTIONS, allErrors: true, verbose: true });
  for (const ajv of [first, all]) {
    addFormats.default(ajv);
    // The expression in ajv-formats takes quadratic time (measured).
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
