/** Stage `arguments`: validates arguments, and corrects common mistakes. */

import { rawNumbersAsText } from '../../../../shared/exact-json.ts';
import { rareArgumentOf } from '../../../../shared/search/lean.ts';
import type { GatewayArgument, ToolFace } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import { findUnsendableNumber, type RoundedNumbers, roundNumbers, withDigits } from '../argument-numbers.ts';
import { type AnyTool, isHandWritten } from '../catalogue/permitted.ts';
import { openHandles } from '../files/handles.ts';
import { isObject, isSchema, parsePointer, resolve } from '../json.ts';
import type { FailureFacts } from '../results/errors.ts';
import { completePaths, findUnknownField } from '../results/fields.ts';
import { type GatewayArguments, openResume } from '../results/fit.ts';
import { withFirstPage } from '../results/page-size.ts';
import { withoutRawNumbers } from '../results/result.ts';
import { useFilters } from '../selection/filters.ts';
import { SelectionError } from '../selection/items.ts';
import { readSelection, type SelectionArguments } from '../selection/selection.ts';
import type { ErrorObject, Validator } from '../validate.ts';
import { argumentOf, describeArgumentErrors, describeBrokenRule, nameInvalid, placeOf } from './argument-errors.ts';
import { type BrokenRule, findBrokenRule } from './argument-rules.ts';
import { type CallOutcome, refuse } from './call-outcome.ts';
import type { CallDependencies, UpstreamDependencies } from './dependencies.ts';
import { heal } from './heal.ts';
import type { Call, PreparedCall, PreparedUse } from './state.ts';

/** Opens the files that the arguments of a user's call name, and checks the arguments. */
export function checkArguments(
  call: PreparedCall<AnyTool>,
  deps: CallDependencies,
): CallOutcome | null | Promise<CallOutcome | null> {
  const opening = openFiles(call, deps);
  return opening === null ? checkUse(call, deps) : opening.then((refused) => refused ?? checkUse(call, deps));
}

/** Replaces the handles of files by the files. Ends a call with a handle that is not its client's. Costs nothing without file arguments. */
function openFiles(call: Call, deps: CallDependencies): null | Promise<CallOutcome | null> {
  const files = call.entry.takesFiles ? deps.files : undefined;
  if (files === undefined) return null;
  const { principal: owner, entry } = call;
  const given = entry.tool.rare === undefined ? call.arguments : withRare(entry.tool, call.arguments);
  return openHandles(entry.tool, given, { owner, files }).then((opened) => {
    if (!opened.ok) return invalid(opened.argument, opened);
    call.arguments = opened.args;
    return null;
  });
}

/** Replaces the arguments by those to send, including pinned ones. */
export function checkUse(call: PreparedUse<AnyTool>, deps: UpstreamDependencies): CallOutcome | null {
  const { validators } = deps;
  const { pins } = call;
  const { tool } = call.entry;
  const contradicted = addPins(call);
  if (contradicted !== null) return contradicted;
  if (isBatch(call))
    return invalid('also', { message: `${tool.name} takes no batch here: call it once for each item.` });
  const prepared = prepareArguments(tool, call.arguments, validators(tool.inputSchema));
  if (!prepared.ok) return invalid(prepared.invalid, { message: prepared.text });
  const { args: sent, gatewayArguments } = splitArguments(tool, prepared.args);
  call.gatewayArguments = withAccount(call, gatewayArguments);
  call.arguments =
    gatewayArguments.maxItems === null || isHandWritten(tool)
      ? sent
      : withFirstPage(tool, sent, gatewayArguments.maxItems, pins);
  const { where, sort, aggregate } = prepared.args;
  const isSelecting = where !== undefined || sort !== undefined || aggregate !== undefined;
  const refused = isSelecting ? checkSelection(call, { where, sort, aggregate }, sent, deps) : null;
  if (refused !== null) return refused;
  const unknown =
    gatewayArguments.fields === null ? null : findUnknownField(tool.outputSchema, gatewayArguments.fields);
  if (unknown !== null)
    return invalid('fields', { message: `The arguments of ${tool.name} are not valid: ${unknown}` });
  return gatewayArguments.resume === null ? null : checkResume(call, deps);
}

/** Adds the pinned arguments. @returns the ending of a call that names another value. */
export function addPins(call: Pick<PreparedUse<AnyTool>, 'entry' | 'pins' | 'arguments'>): CallOutcome | null {
  const { pins } = call;
  const { tool } = call.entry;
  const given = tool.rare === undefined ? call.arguments : withRare(tool, call.arguments);
  call.arguments = given;
  const pinned = Object.keys(pins).filter((name) => takes(tool, name));
  const contradicted = pinned.find(
    (name) => Object.hasOwn(given, name) && rawNumbersAsText(given[name]) !== pins[name],
  );
  if (contradicted !== undefined) return refuse('not_allowed', { message: fixedArgument(contradicted) });
  if (pinned.length > 0) {
    call.arguments = { ...given, ...Object.fromEntries(pinned.map((name) => [name, pins[name]])) };
  }
  return null;
}

/** True if a call is a batch. Clients that fill in every argument send an empty `also`, which makes no batch. */
export function isBatch({
  entry: { tool },
  arguments: args,
}: Pick<PreparedUse<AnyTool>, 'entry' | 'arguments'>): boolean {
  if (tool.batch === undefined || !Object.hasOwn(args, 'also')) return false;
  const { also } = args;
  return also !== null && also !== '' && !(Array.isArray(also) && also.length === 0);
}

/** Reads what a call asks of the items of a list, whose pages are then as large as the upstream allows. */
function checkSelection(
  call: PreparedUse<AnyTool>,
  given: SelectionArguments,
  sent: Arguments,
  { validators }: UpstreamDependencies,
): CallOutcome | null {
  const { tool } = call.entry;
  if (isHandWritten(tool)) return null;
  const own = (name: keyof SelectionArguments) =>
    tool.gatewayArguments?.includes(name) === true ? given[name] : undefined;
  try {
    call.selection = readSelection(tool, { where: own('where'), sort: own('sort'), aggregate: own('aggregate') });
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error;
    return invalid(error.argument, { message: `The arguments of ${tool.name} are not valid: ${error.message}` });
  }
  if (call.selection === null) return null;
  call.arguments = withFirstPage(tool, sent, null, call.pins);
  const accepts = (args: Arguments) => validators(tool.inputSchema).accepts(roundNumbers(args).rounded);
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
function withRare(tool: AnyTool, given: Arguments): Arguments {
  const { [rareArgumentOf(tool)]: rare, ...others } = given;
  return isObject(rare) ? { ...rare, ...others } : given;
}

/** A hand-written tool may lack an argument that is pinned for the tools it uses. */
function takes({ inputSchema }: ToolFace, argument: string): boolean {
  return isSchema(inputSchema.properties) && Object.hasOwn(inputSchema.properties, argument);
}

function fixedArgument(name: string): string {
  return `"${name}" is fixed for this client: leave it out.`;
}

/** Arguments that may be sent, or a text that says what is wrong. */
type PreparedArguments =
  | { readonly ok: true; readonly args: Arguments }
  | { readonly ok: false; readonly text: string; readonly invalid: string };

/** Checks, in this order: schema (correcting refused values), numbers, and the rules that no schema expresses. */
export function prepareArguments(tool: AnyTool, given: Arguments, validator: Validator): PreparedArguments {
  const sent = roundNumbers(given);
  return validator.within(
    () => prepare(tool, given, sent, validator),
    (problems) => refuseAll(tool, given, problems, validator),
  );
}

function refuseAll(tool: AnyTool, args: Arguments, problems: readonly ErrorObject[], validator: Validator) {
  const text = describeArgumentErrors(tool, args, problems, validator);
  return { ok: false as const, text, invalid: nameInvalid(tool, problems.map(argumentOf)) };
}

function prepare(
  tool: AnyTool,
  given: Arguments,
  sent: RoundedNumbers<Arguments>,
  validator: Validator,
): PreparedArguments {
  let [args, exact] = [sent.rounded, given];
  if (!validator.accepts(args)) {
    const completed = withoutEmptyLists(tool, completeAgreed(tool, args));
    const healed = heal(tool.inputSchema, completed, validator, sent.digits);
    args = healed.args;
    const problems = validator.problems(args);
    if (problems.length > 0) return refuseAll(tool, args, problems, validator);
    exact = withDigits(args, healed.digits) as Arguments;
  }
  const broken = findBrokenNumber(given) ?? findBrokenRule(tool, args);
  if (broken !== null) return refuseRule(tool, args, broken, validator);
  // The code of a hand-written tool cannot read a raw number.
  return { ok: true, args: isHandWritten(tool) ? withoutRawNumbers(exact) : exact };
}

function refuseRule(tool: AnyTool, args: Arguments, broken: BrokenRule, validator: Validator) {
  const text = describeBrokenRule(tool, args, broken, validator);
  return { ok: false as const, text, invalid: nameInvalid(tool, [broken.argument]) };
}

function findBrokenNumber(args: Arguments): BrokenRule | null {
  const found = findUnsendableNumber(args);
  if (found === null) return null;
  return { argument: parsePointer(found.pointer)[0] ?? '', text: `"${placeOf(found.pointer)}" ${found.problem}` };
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
function completeAgreed(tool: AnyTool, given: Arguments): Arguments {
  let args = given;
  for (const { argument, template } of isHandWritten(tool) ? [] : (tool.agreements ?? [])) {
    const names = [...template.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? '');
    const parts = String(args[argument] ?? '').split('/');
    const isSplit = template.split('/').length === parts.length && names.length === parts.length;
    const found: Arguments = isSplit ? Object.fromEntries(names.map((name, index) => [name, parts[index]])) : {};
    const isWhole = args[argument] === undefined && names.every((name) => typeof args[name] === 'string');
    const whole = isWhole
      ? { [argument]: template.replace(/\{([^{}]+)\}/g, (_, name: string) => String(args[name])) }
      : {};
    args = { ...found, ...whole, ...args };
  }
  return args;
}

/** Splits valid arguments of a tool. An empty list, an empty text and null count as absent. */
function splitArguments(tool: ToolFace, args: Arguments) {
  const names: readonly GatewayArgument[] = tool.gatewayArguments ?? [];
  if (names.length === 0) {
    return { args, gatewayArguments: { fields: null, maxItems: null, resume: null, repeated: args } };
  }
  const without = (left: readonly string[]) =>
    Object.fromEntries(Object.entries(args).filter(([name]) => !left.includes(name)));
  const { fields, maxItems, resume } = args;
  const takes = (name: GatewayArgument) => names.includes(name);
  const gatewayArguments: GatewayArguments = {
    fields:
      takes('fields') && Array.isArray(fields) && fields.length > 0 ? completePaths(tool.outputSchema, fields) : null,
    maxItems: takes('maxItems') && typeof maxItems === 'number' ? maxItems : null,
    resume: takes('resume') && typeof resume === 'string' && resume !== '' ? resume : null,
    repeated: takes('resume') ? without(['resume']) : args,
  };
  return { args: without(names), gatewayArguments };
}
