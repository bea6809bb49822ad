/** Stage `arguments`: validates arguments, and corrects common mistakes. */

import { rawNumbersAsText } from '../../../../shared/exact-json.ts';
import { rareArgumentOf } from '../../../../shared/search/lean.ts';
import type { GatewayArgument, ObjectSchema, ToolFace } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { findUnsendableNumber, type RoundedNumbers, roundNumbers, withDigits } from '../argument-numbers.ts';
import { type AnyTool, isHandWritten } from '../catalogue/permitted.ts';
import { openHandles, replaceHandles } from '../files/handles.ts';
import { isObject, isSchema, parsePointer, resolve } from '../json.ts';
import type { FailureFacts } from '../results/errors.ts';
import { completePaths, findUnknownField } from '../results/fields.ts';
import { type GatewayArguments, openResume } from '../results/fit-result.ts';
import { withFirstPage } from '../results/page-size.ts';
import { withoutRawNumbers } from '../results/result.ts';
import { useFilters } from '../selection/filters.ts';
import { itemsOf, SelectionError } from '../selection/items.ts';
import { readSelection, type SelectionArguments } from '../selection/selection.ts';
import type { ErrorObject, Validator, Validators } from '../validate.ts';
import {
  argumentOf,
  argumentPathOf,
  describeArgumentErrors,
  describeBrokenRule,
  nameInvalid,
} from './argument-errors.ts';
import { type BrokenRule, findBrokenRule, findEmptyUpdate } from './argument-rules.ts';
import { type CallOutcome, refuse } from './call-outcome.ts';
import type { CallDependencies, UpstreamDependencies } from './dependencies.ts';
import { heal } from './heal.ts';
import type { Call, PreparedCall, PreparedUse, ResultReader } from './state.ts';

/** Opens the files that the arguments of a user's call name, and checks the arguments. */
export function checkArguments(
  call: PreparedCall<AnyTool>,
  deps: CallDependencies,
): CallOutcome | null | Promise<CallOutcome | null> {
  const opening = openFiles(call, deps);
  const check = () => checkUse(call, deps, () => siblingsOf(call, deps));
  return opening === null ? check() : opening.then((refused) => refused ?? check());
}

/** Checks the arguments of a call that an earlier call has sent, whose files may be gone. */
export function checkSentArguments(call: PreparedCall<AnyTool>, deps: CallDependencies): CallOutcome | null {
  const { tool, takesFiles } = call.entry;
  const args = tool.rare === undefined ? call.arguments : withRare(tool, call.arguments);
  if (takesFiles) call.arguments = replaceHandles(tool, args);
  return checkUse(call, deps);
}

/** Returns the other tools of a service that the caller may use. It is called only for an error that may name one. */
type Siblings = () => readonly AnyTool[];
const NO_SIBLINGS: Siblings = () => [];

/** The other tools of the service that the caller may use. */
function siblingsOf({ entry, principal }: PreparedCall<AnyTool>, { catalogue }: CallDependencies): readonly AnyTool[] {
  const tools = catalogue.toolsOf(entry.connector);
  return tools.filter((tool) => tool.name !== entry.tool.name && catalogue.findVisible(tool.name, principal) !== null);
}

/** Replaces the handles of files by the files. Ends a call with a handle that is not its client's. Costs nothing without file arguments. */
function openFiles(call: Call, deps: CallDependencies): null | Promise<CallOutcome | null> {
  const files = call.entry.takesFiles ? deps.files : undefined;
  if (files === undefined) return null;
  const { principal: owner, entry } = call;
  const args = entry.tool.rare === undefined ? call.arguments : withRare(entry.tool, call.arguments);
  return openHandles(entry.tool, args, { owner, files, uploads: deps.uploads }).then((opened) => {
    if (!opened.ok) return invalid(opened.argument, opened);
    call.arguments = opened.args;
    const client = call.partOf ?? call;
    client.openedHandles = [...(client.openedHandles ?? []), ...opened.handles];
    return null;
  });
}

/**
 * Replaces the arguments by those to send, including pinned ones.
 *
 * @param siblings tools that errors may name. Default: none.
 */
export function checkUse(
  call: PreparedUse<AnyTool>,
  deps: UpstreamDependencies,
  siblings: Siblings = NO_SIBLINGS,
): CallOutcome | null {
  const { validators } = deps;
  const { pins } = call;
  const { tool } = call.entry;
  const pinRefusal = addPins(call);
  if (pinRefusal !== null) return pinRefusal;
  if (isBatch(tool, call.arguments))
    return invalid('also', { message: `${tool.name} takes no batch here: call it once for each item.` });
  const prepared = prepareForSending(tool, call.arguments, validators, siblings);
  if (!prepared.ok) return invalid(prepared.invalid, { message: prepared.text });
  const emptyUpdate = findEmptyUpdate(tool, call.arguments, prepared.args);
  if (emptyUpdate !== null)
    return invalid(emptyUpdate.argument, {
      message: `The arguments of ${tool.name} are not valid: ${emptyUpdate.text}`,
    });
  const { args: sentArgs, gatewayArguments } = splitArguments(tool, prepared.args);
  call.gatewayArguments = withAccount(call, gatewayArguments);
  call.arguments =
    gatewayArguments.maxItems === null || isHandWritten(tool)
      ? sentArgs
      : withFirstPage(tool, sentArgs, gatewayArguments.maxItems, pins);
  const listLimit = call.reader && listLimitOf(tool, gatewayArguments, call.reader);
  if (call.reader && listLimit !== undefined && listLimit < call.reader.limit)
    call.reader = {
      ...call.reader,
      limit: listLimit,
      fullLimit: call.reader.limit,
      raisedBy: '"fields" or "maxItems"',
    };
  const { where, sort, aggregate } = prepared.args;
  const isSelecting = where !== undefined || sort !== undefined || aggregate !== undefined;
  const refusal = isSelecting ? checkSelection(call, { where, sort, aggregate }, sentArgs, deps) : null;
  if (refusal !== null) return refusal;
  const fieldProblem =
    gatewayArguments.fields === null ? null : findUnknownField(tool.outputSchema, gatewayArguments.fields);
  if (fieldProblem !== null)
    return invalid('fields', { message: `The arguments of ${tool.name} are not valid: ${fieldProblem}` });
  return gatewayArguments.resume === null ? null : checkResume(call, deps);
}

/** Returns the lower limit of a list of which the call chooses neither the members nor the number of items, or undefined. */
function listLimitOf(tool: AnyTool, { fields, maxItems }: GatewayArguments, reader: ResultReader): number | undefined {
  if (isHandWritten(tool) || fields !== null || maxItems !== null) return undefined;
  return tool.gatewayArguments?.includes('fields') === true && itemsOf(tool) !== null ? reader.listLimit : undefined;
}

/** Adds the pinned arguments. @returns the ending of a call that names another value. */
export function addPins(call: PreparedUse<AnyTool>): CallOutcome | null {
  const { pins } = call;
  const { tool } = call.entry;
  const args = tool.rare === undefined ? call.arguments : withRare(tool, call.arguments);
  call.arguments = args;
  const pinnedNames = Object.keys(pins).filter((name) => takesArgument(tool, name));
  const contradictedPin = pinnedNames.find(
    (name) => Object.hasOwn(args, name) && rawNumbersAsText(args[name]) !== pins[name],
  );
  if (contradictedPin !== undefined) return refuse('not_allowed', { message: fixedArgument(contradictedPin) });
  if (pinnedNames.length > 0) {
    call.arguments = { ...args, ...Object.fromEntries(pinnedNames.map((name) => [name, pins[name]])) };
  }
  return null;
}

/** True if a call is a batch. Clients that fill in every argument send an empty `also`, which makes no batch. */
export function isBatch(tool: AnyTool, args: Arguments): boolean {
  if (tool.batch === undefined || !Object.hasOwn(args, 'also')) return false;
  const { also } = args;
  return also !== null && also !== '' && !(Array.isArray(also) && also.length === 0);
}

/** Reads what a call asks of the items of a list, whose pages are then as large as the upstream allows. */
function checkSelection(
  call: PreparedUse<AnyTool>,
  selectionArguments: SelectionArguments,
  sentArgs: Arguments,
  { validators }: UpstreamDependencies,
): CallOutcome | null {
  const { tool } = call.entry;
  if (isHandWritten(tool)) return null;
  const valueIfTaken = (name: keyof SelectionArguments) =>
    tool.gatewayArguments?.includes(name) === true ? selectionArguments[name] : undefined;
  try {
    call.selection = readSelection(tool, {
      where: valueIfTaken('where'),
      sort: valueIfTaken('sort'),
      aggregate: valueIfTaken('aggregate'),
    });
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error;
    return invalid(error.argument, { message: `The arguments of ${tool.name} are not valid: ${error.message}` });
  }
  if (call.selection === null) return null;
  call.arguments = withFirstPage(tool, sentArgs, null, call.pins);
  const accepts = (args: Arguments) => {
    const { rounded, digits } = roundNumbers(args);
    return validators(tool.inputSchema).accepts(rounded, digits);
  };
  call.filtered = useFilters(tool, call.selection.condition?.terms ?? [], call.arguments, accepts);
  call.arguments = call.filtered?.arguments ?? call.arguments;
  return null;
}

/** Opens the handle, which is valid for this reader, tool and arguments, and for ten minutes. */
function checkResume(call: PreparedUse<AnyTool>, { resumes, now }: UpstreamDependencies): CallOutcome | null {
  const { entry, reader, gatewayArguments } = call;
  const { tool } = entry;
  const point =
    resumes === undefined || reader === undefined || gatewayArguments === undefined
      ? null
      : openResume(resumes, { reader: reader.id, limit: reader.limit, tool, gatewayArguments }, now());
  if (point === null) {
    return invalid('resume', {
      message: '"resume" is older than ten minutes, or belongs to another call.',
      advice: 'Use all of page.nextArguments from the previous answer, or call again without "resume".',
    });
  }
  call.resumed = point;
  return null;
}

/** Ends a call whose arguments are not valid. @param names of these arguments. */
export function invalid(names: string, facts: FailureFacts): CallOutcome {
  return { ...refuse('invalid_arguments', facts), invalid: names };
}

/** The next call has to name the same account, and a handle to continue is for this account only. */
function withAccount({ account }: PreparedUse<AnyTool>, gatewayArguments: GatewayArguments): GatewayArguments {
  if (account === undefined) return gatewayArguments;
  return { ...gatewayArguments, repeated: { ...gatewayArguments.repeated, [account.argument]: account.name } };
}

/** The arguments with the rare ones next to the others, which win. */
function withRare(tool: AnyTool, args: Arguments): Arguments {
  const { [rareArgumentOf(tool)]: rareArgs, ...otherArgs } = args;
  return isObject(rareArgs) ? { ...rareArgs, ...otherArgs } : args;
}

/** A hand-written tool may lack an argument that is pinned for the tools it uses. */
function takesArgument({ inputSchema }: ToolFace, argument: string): boolean {
  return isSchema(inputSchema.properties) && Object.hasOwn(inputSchema.properties, argument);
}

function fixedArgument(name: string): string {
  return `"${name}" is fixed for this client: leave it out.`;
}

/** Arguments that may be sent, or a text that says what is wrong. */
type PreparedArguments =
  | { readonly ok: true; readonly args: Arguments }
  | { readonly ok: false; readonly text: string; readonly invalid: string };

/** Checks the arguments of one request: against the published schema, and then against the rules that it does not show. */
function prepareForSending(
  tool: AnyTool,
  args: Arguments,
  validators: Validators,
  siblings: Siblings = NO_SIBLINGS,
): PreparedArguments {
  const prepared = prepareArguments(tool, args, validators(tool.inputSchema), siblings);
  const rules = isHandWritten(tool) || tool.rules === undefined ? null : parseRules(tool.rules);
  return prepared.ok && rules !== null ? prepareArguments(tool, prepared.args, validators(rules), siblings) : prepared;
}

const parsedRules = new Map<string, ObjectSchema>();

/** Parsed once, so that the schema is compiled once. */
function parseRules(text: string): ObjectSchema {
  const rules = parsedRules.get(text) ?? (JSON.parse(text) as ObjectSchema);
  parsedRules.set(text, rules);
  return rules;
}

/** Checks, in this order: schema (correcting refused values), numbers, and the rules that no schema expresses. */
export function prepareArguments(
  tool: AnyTool,
  args: Arguments,
  validator: Validator,
  siblings: Siblings = NO_SIBLINGS,
): PreparedArguments {
  const roundedArgs = roundNumbers(args);
  return validator.within(
    () => prepare(tool, args, roundedArgs, { validator, siblings }),
    (problems) => refuseAll(tool, args, problems, { validator, siblings }),
  );
}

/** Dependencies of describing wrong arguments. */
interface ErrorContext {
  readonly validator: Validator;
  readonly siblings: Siblings;
}

function refuseAll(tool: AnyTool, args: Arguments, problems: readonly ErrorObject[], context: ErrorContext) {
  const text = describeArgumentErrors(tool, args, problems, context);
  return { ok: false as const, text, invalid: nameInvalid(tool, problems.map(argumentOf)) };
}

function prepare(
  tool: AnyTool,
  exactArgs: Arguments,
  roundedArgs: RoundedNumbers<Arguments>,
  context: ErrorContext,
): PreparedArguments {
  const { validator } = context;
  let args = roundedArgs.rounded;
  let exact = exactArgs;
  if (!validator.accepts(args, roundedArgs.digits)) {
    const completedArgs = withoutEmptyLists(tool, completeAgreements(tool, args));
    const corrected = heal(completedArgs, validator, roundedArgs.digits);
    args = corrected.args;
    const problems = validator.problems(args, { digits: corrected.digits });
    if (problems.length > 0) return refuseAll(tool, args, problems, context);
    exact = withDigits(args, corrected.digits) as Arguments;
  }
  const broken = findBrokenNumber(exactArgs) ?? findBrokenRule(tool, args);
  if (broken !== null) return refuseRule(tool, args, broken, validator);
  // The code of a hand-written tool cannot read a raw number.
  return { ok: true, args: isHandWritten(tool) ? withoutRawNumbers(exact) : exact };
}

function refuseRule(tool: AnyTool, args: Arguments, broken: BrokenRule, validator: Validator) {
  const text = describeBrokenRule(tool, args, broken, validator);
  return { ok: false as const, text, invalid: nameInvalid(tool, [broken.argument]) };
}

function findBrokenNumber(args: Arguments): BrokenRule | null {
  const unsendableNumber = findUnsendableNumber(args);
  if (unsendableNumber === null) return null;
  return {
    argument: parsePointer(unsendableNumber.pointer)[0] ?? '',
    text: `"${argumentPathOf(unsendableNumber.pointer)}" ${unsendableNumber.problem}`,
  };
}

/**
 * Leaves out optional empty lists that the schema refuses, as clients send that fill in every argument. Only for tools that read: elsewhere
 * it could widen what a call changes.
 */
function withoutEmptyLists({ annotations, inputSchema }: AnyTool, args: Arguments): Arguments {
  const { properties, required } = inputSchema;
  if (!annotations.readOnlyHint || !isSchema(properties)) return args;
  const isRefused = (name: string) => {
    const schema = properties[name];
    const isNeeded = Array.isArray(required) && required.includes(name);
    return !isNeeded && isSchema(schema) && Number(resolve(inputSchema, schema).minItems) > 0;
  };
  const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => !isEmpty(value) || !isRefused(name)));
}

/** Adds arguments that are missing, but that another one repeats: `ZACKS/FC` says vendor and table. */
function completeAgreements(tool: AnyTool, originalArgs: Arguments): Arguments {
  let args = originalArgs;
  for (const { argument, template } of isHandWritten(tool) ? [] : (tool.agreements ?? [])) {
    const names = [...template.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? '');
    const segments = String(args[argument] ?? '').split('/');
    const isSplit = template.split('/').length === segments.length && names.length === segments.length;
    const splitArgs: Arguments = isSplit ? Object.fromEntries(names.map((name, index) => [name, segments[index]])) : {};
    const isJoinable = args[argument] === undefined && names.every((name) => typeof args[name] === 'string');
    const joinedArgs = isJoinable
      ? { [argument]: template.replace(/\{([^{}]+)\}/g, (_, name: string) => String(args[name])) }
      : {};
    args = { ...splitArgs, ...joinedArgs, ...args };
  }
  return args;
}

/** Splits valid arguments of a tool. An empty list, an empty text and null count as absent. */
function splitArguments(tool: ToolFace, args: Arguments) {
  const names: readonly GatewayArgument[] = tool.gatewayArguments ?? [];
  if (names.length === 0) {
    return { args, gatewayArguments: { fields: null, maxItems: null, resume: null, repeated: args } };
  }
  const omit = (excludedNames: readonly string[]) =>
    excludedNames.some((name) => Object.hasOwn(args, name))
      ? Object.fromEntries(Object.entries(args).filter(([name]) => !excludedNames.includes(name)))
      : args;
  const { fields, maxItems, resume } = args;
  const takesGatewayArgument = (name: GatewayArgument) => names.includes(name);
  const gatewayArguments: GatewayArguments = {
    fields:
      takesGatewayArgument('fields') && Array.isArray(fields) && fields.length > 0
        ? completePaths(tool.outputSchema, fields)
        : null,
    maxItems: takesGatewayArgument('maxItems') && typeof maxItems === 'number' ? maxItems : null,
    resume: takesGatewayArgument('resume') && typeof resume === 'string' && resume !== '' ? resume : null,
    repeated: takesGatewayArgument('resume') ? omit(['resume']) : args,
  };
  return { args: omit(names), gatewayArguments };
}
