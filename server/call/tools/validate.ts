/** Validators of input and output schemas: compiled at their first use, then cached. */

import { createRequire } from 'node:module';
import { createContext, Script } from 'node:vm';
import type { Ajv2020, CodeKeywordDefinition, ErrorObject, KeywordCxt, Options } from 'ajv/dist/2020.js';
import { compilePattern, type Pattern } from '../../../shared/patterns/index.ts';
import type { ObjectSchema } from '../../contract/index.ts';
import { addExactKeywords, type Digits, NO_DIGITS, withExactNumbers } from './exact-keywords.ts';

export type { ErrorObject };

/** Checks values against one schema. No check stops the event loop for long: see `within`. */
export interface Validator {
  readonly schema: ObjectSchema;
  /** Also false for a value that takes too long to check. @param digits default: none. */
  accepts(value: unknown, digits?: Digits): boolean;
  /** All problems; for a value of more than `maxNodes` (default 2000), only the first. */
  problems(value: unknown, options?: { readonly digits?: Digits; readonly maxNodes?: number }): readonly ErrorObject[];
  /**
   * Runs `work`, whose checks with this validator share one deadline; `tooLong` gives its result if they miss it, from
   * the problems of the first value that was refused, else from `TOO_LONG`.
   *
   * `work` may be ended at any point and then run again, so it changes nothing but its own values.
   */
  within<T>(work: () => T, tooLong: (problems: readonly ErrorObject[]) => T): T;
}

/** Returns one validator per schema object. */
export type Validators = (schema: ObjectSchema) => Validator;

/** A larger value gets only its first error, so that a million wrong elements do not give a million errors. */
const MAX_NODES_FOR_ALL_ERRORS = 2000;

/**
 * Steps that checks may take before they run under a deadline, which costs about 0.1 ms itself. A step takes at most about 0.1 us, as one visit of a
 * state by RE2 does.
 */
const FREE_STEPS = 30_000;
const STEPS_OF_NODE = 10;
const STEPS_OF_REFERENCE = 20;

/** Time for checks that need more steps. */
const DEADLINE_MS = 10;

/** A run that misses the deadline with less time of the processor than this has waited for it, and gets another. */
const WAITED_MS = 7;

/** Problem of a value that takes too long to check, at the place of the whole value. */
export const TOO_LONG: ErrorObject = {
  keyword: 'deadline',
  instancePath: '',
  schemaPath: '#',
  params: {},
  message: 'take too long to check: send shorter texts or fewer elements',
};

class OutOfSteps extends Error {}

/** Steps left to the checks that run now. Null while no check runs. */
let stepsLeft: number | null = null;

function spend(steps: number): void {
  if (stepsLeft === null) return;
  stepsLeft -= steps;
  if (stepsLeft < 0) throw new OutOfSteps();
}

/** Patterns run in linear time, and each run counts. */
function compileCounted(pattern: string): Omit<Pattern, 'cost'> {
  const compiled = compilePattern(pattern);
  return {
    test(text) {
      spend(text.length * compiled.cost);
      return compiled.test(text);
    },
    toString: () => compiled.toString(),
  };
}

const OPTIONS: Options = {
  strict: false,
  logger: false,
  // Codegen checks the schemas, and compiling the schema of schemas would take most of the time of a first call.
  validateSchema: false,
  ownProperties: true,
  code: { regExp: Object.assign(compileCounted, { code: 'compileCounted' }) },
};

/**
 * Runs `work` directly while it needs few steps, else again under a deadline that ends it at any point: alternatives
 * that refer to each other can take exponential time.
 *
 * @param prepare Compiles what `work` needs.
 */
function within<T>(prepare: () => void, work: () => T, tooLong: () => T): T {
  try {
    stepsLeft = FREE_STEPS;
    return work();
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
    prepare();
    stepsLeft = Number.POSITIVE_INFINITY;
    const completed = runWithDeadline(work);
    if (completed !== null) return completed.result;
  } finally {
    stepsLeft = null;
  }
  return tooLong();
}

/** Node 22 knows the time of all threads only. */
const cpuUsage = process.threadCpuUsage ?? process.cpuUsage;

const sandbox: { work: (() => unknown) | null } = { work: null };
type RunScript = (timeoutMs: number) => { readonly result: unknown } | null;
let runScript: RunScript | null = null;

function runWithDeadline<T>(work: () => T): { readonly result: T } | null {
  runScript ??= createScript();
  sandbox.work = work;
  const before = cpuUsage();
  const first = runScript(DEADLINE_MS);
  if (first !== null) return first as { readonly result: T };
  const { user, system } = cpuUsage(before);
  const usedMs = (user + system) / 1000;
  return usedMs < WAITED_MS
    ? (runScript(Math.ceil(DEADLINE_MS * (DEADLINE_MS / Math.max(usedMs, 1)))) as { readonly result: T })
    : null;
}

/** The deadline is that of Node's `vm`, which can end a synchronous function. The sandbox protects nothing. */
function createScript(): RunScript {
  const context = createContext(sandbox);
  const calling = new Script('work()');
  return (timeout) => {
    try {
      return { result: calling.runInContext(context, { timeout }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
      throw error;
    }
  };
}

/**
 * Creates the validators. Schemas are 2020-12 and have no external references.
 *
 * @throws {PatternError} at the first use of a schema with a pattern that cannot be served.
 */
export function createValidators(): Validators {
  const validatorBySchema = new WeakMap<ObjectSchema, Validator>();
  let compilers: ReturnType<typeof createCompilers> | null = null;

  return (schema) => {
    const compiled = validatorBySchema.get(schema);
    if (compiled !== undefined) return compiled;
    compilers ??= createCompilers();
    const { first, all } = compilers;
    const accepts = first.compile(schema);
    // The library checks the schema itself with counted keywords, and a compilation must not be ended.
    const compileAll = () => {
      const savedSteps = stepsLeft;
      stepsLeft = null;
      try {
        return all.compile(schema);
      } finally {
        stepsLeft = savedSteps;
      }
    };
    let firstProblems: readonly ErrorObject[] = [];
    const count = (value: unknown) => {
      const nodes = countNodes(value, FREE_STEPS / STEPS_OF_NODE);
      // Each pair of elements may be compared.
      spend(nodes * (STEPS_OF_NODE + nodes / 8));
    };
    const isAccepted = (value: unknown, digits: Digits): boolean => {
      count(value);
      const isValid = withExactNumbers(digits, () => accepts(value));
      if (!isValid && firstProblems.length === 0) firstProblems = accepts.errors ?? [];
      return isValid;
    };
    const findProblems = (value: unknown, maxNodes: number, digits: Digits): readonly ErrorObject[] => {
      if (isAccepted(value, digits)) return [];
      const firstErrors = accepts.errors ?? [];
      if (countNodes(value, maxNodes) >= maxNodes) return firstErrors;
      const checkAll = compileAll();
      count(value);
      if (withExactNumbers(digits, () => checkAll(value))) return [];
      const errors = checkAll.errors ?? firstErrors;
      if (errors.length > firstProblems.length) firstProblems = errors;
      return errors;
    };
    const validator: Validator = {
      schema,
      within(work, tooLong) {
        if (stepsLeft !== null) return work();
        firstProblems = [];
        return within(compileAll, work, () => tooLong(firstProblems.length === 0 ? [TOO_LONG] : firstProblems));
      },
      accepts: (value, digits = NO_DIGITS) => validator.within(() => isAccepted(value, digits), returnFalse),
      problems: (value, { digits = NO_DIGITS, maxNodes = MAX_NODES_FOR_ALL_ERRORS } = {}) =>
        validator.within(() => findProblems(value, maxNodes, digits), returnProblems),
    };
    validatorBySchema.set(schema, validator);
    return validator;
  };
}

/** Loads the library lazily: the gateway starts and serves lists without it. */
function createCompilers(): Record<'first' | 'all', Ajv2020> {
  const load = createRequire(import.meta.url);
  const { Ajv2020 } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const addFormats = load('ajv-formats') as typeof import('ajv-formats');
  const code = load('ajv/dist/compile/codegen') as typeof import('ajv/dist/compile/codegen/index.js');
  const names = load('ajv/dist/compile/names') as typeof import('ajv/dist/compile/names.js');
  // `verbose` adds the schema and the value to errors.
  const first = new Ajv2020({ ...OPTIONS, verbose: true });
  const all = new Ajv2020({ ...OPTIONS, allErrors: true, verbose: true });
  for (const ajv of [first, all]) {
    addFormats.default(ajv);
    boundKeywords(ajv, load);
    // The expression in ajv-formats takes quadratic time (measured).
    ajv.addFormat('url', isWebUrl);
    addExactKeywords(ajv, { ...code, instancePath: names.default.instancePath });
  }
  return { first, all };
}

const returnFalse = () => false;
const returnProblems = (problems: readonly ErrorObject[]) => problems;

/** Counts references, and does not run the pattern of a text that is refused for its length. */
function boundKeywords(ajv: Ajv2020, load: NodeJS.Require): void {
  const { _ } = load('ajv/dist/compile/codegen') as typeof import('ajv/dist/compile/codegen/index.js');
  const replace = (keyword: string, before: string, toCode: (inner: () => void, context: KeywordCxt) => void) => {
    const definition = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    ajv.removeKeyword(keyword);
    ajv.addKeyword({ ...definition, before, code: (context) => toCode(() => definition.code(context), context) });
  };
  replace('$ref', 'const', (inner, { gen }) => {
    gen.code(_`${gen.scopeValue('func', { ref: spend })}(${STEPS_OF_REFERENCE})`);
    inner();
  });
  replace('pattern', 'format', (inner, { gen, data, parentSchema }) => {
    // A character has at most two units.
    if (typeof parentSchema.maxLength !== 'number') inner();
    else gen.if(_`${data}.length <= ${parentSchema.maxLength * 2}`, inner);
  });
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
    const members: readonly unknown[] = Array.isArray(node) ? node : Object.values(node);
    if (count + stack.length + members.length > limit) return limit;
    for (const member of members) {
      if (typeof member === 'object' && member !== null) stack.push(member);
      else count += 1;
    }
  }
  return count;
}
