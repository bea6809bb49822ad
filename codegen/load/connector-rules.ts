/** Rules that `connector.yaml` can break although each value in it is well formed. */

import type { z } from 'zod';
import { findPatternProblem } from '../../shared/patterns/index.ts';

/** Adds an issue at a path below the checked value. */
type Context = z.core.$RefinementCtx;

interface Limits {
  readonly wire?: string | undefined;
  readonly sent?: false | 'always' | undefined;
  readonly mustEqual?: string | undefined;
  readonly pattern?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly default?: unknown;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
}

/** Checks an argument: its limits allow at least one value, its pattern compiles, and an argument that is not sent names no member. */
export function checkArgument(argument: Limits, context: Context): void {
  for (const [low, high] of [
    ['minimum', 'maximum'],
    ['minLength', 'maxLength'],
    ['minItems', 'maxItems'],
  ] as const) {
    const from = argument[low];
    const to = argument[high];
    if (from !== undefined && to !== undefined && from > to) refuse(context, [high], `is less than ${low}`);
  }
  const problem = argument.pattern === undefined ? null : findPatternProblem(argument.pattern);
  if (problem !== null) refuse(context, ['pattern'], problem);
  if (argument.sent === false && argument.wire !== undefined) {
    refuse(context, ['wire'], 'contradicts `sent: false`: keep one of them');
  }
  if (argument.sent === 'always' && argument.default === undefined) {
    refuse(context, ['sent'], 'is `always`, and there is no `default` to send');
  }
  if (argument.sent === 'always' && argument.wire?.endsWith(']') === true) {
    refuse(context, ['sent'], 'is `always`, which one key of an object cannot be');
  }
  if (argument.mustEqual !== undefined && !/\{[a-zA-Z0-9_.-]+\}/.test(argument.mustEqual)) {
    refuse(context, ['mustEqual'], 'names no other argument in braces, such as {vendorCode}');
  }
  const values = argument.enum?.map((value) => JSON.stringify(value));
  if (values !== undefined && new Set(values).size < values.length) refuse(context, ['enum'], 'repeats a value');
  if (values !== undefined && argument.default !== undefined && !values.includes(JSON.stringify(argument.default))) {
    refuse(context, ['default'], 'is not one of `enum`');
  }
}

/** A budget: it sets a number of tokens, and the limit of a tool is at most that of the service. */
export function checkBudget(
  { service, tool }: { readonly service?: number | undefined; readonly tool?: number | undefined },
  context: Context,
): void {
  if (service === undefined && tool === undefined) refuse(context, [], 'names neither `service` nor `tool`');
  if (service !== undefined && tool !== undefined && tool > service)
    refuse(context, ['tool'], 'is more than `service`');
}

/** Hints: a reason needs a hint that it explains. */
export function checkHints(hints: Readonly<Record<string, unknown>>, context: Context): void {
  if (Object.keys(hints).every((key) => key === 'reason')) refuse(context, [], 'gives a reason and changes no hint');
}

/** A tool: a parameter is either left out or fixed, and is then not an argument. */
export function checkTool(
  tool: {
    readonly omit?: readonly string[] | undefined;
    readonly fixed?: Readonly<Record<string, unknown>> | undefined;
    readonly arguments?: Readonly<Record<string, { readonly wire?: string | undefined }>> | undefined;
  },
  context: Context,
): void {
  const fixed = tool.fixed ?? {};
  for (const [index, member] of (tool.omit ?? []).entries()) {
    if (Object.hasOwn(fixed, member)) refuse(context, ['omit', index], `${member} is under \`fixed\` as well`);
    if (tool.omit?.indexOf(member) !== index) refuse(context, ['omit', index], `repeats ${member}`);
  }
  for (const [name, { wire }] of Object.entries(tool.arguments ?? {})) {
    if (wire === undefined) continue;
    const conflictingKey = Object.hasOwn(fixed, wire) ? 'fixed' : tool.omit?.includes(wire) ? 'omit' : null;
    if (conflictingKey !== null)
      refuse(context, ['arguments', name, 'wire'], `${wire} is under \`${conflictingKey}\` as well`);
  }
}

/** A server variable sets at least one key, and its value comes from one place. */
export function checkServerVariable(
  variable: {
    readonly env?: unknown;
    readonly default?: unknown;
    readonly derive?: unknown;
    readonly ask?: { readonly pattern?: string | undefined } | undefined;
  },
  context: Context,
): void {
  if (variable.default !== undefined && variable.derive !== undefined) {
    refuse(context, ['derive'], 'contradicts `default`: keep one of them');
  }
  const { ask, ...otherKeys } = variable;
  if (ask !== undefined && Object.values(otherKeys).some((value) => value !== undefined)) {
    refuse(context, ['ask'], 'contradicts the other keys: the value comes from each user');
  }
  const problem = ask?.pattern === undefined ? null : findPatternProblem(ask.pattern);
  if (problem !== null) refuse(context, ['ask', 'pattern'], problem);
  if (Object.values(variable).every((value) => value === undefined)) refuse(context, [], 'decides nothing');
}

/** Categories are not repeated. */
export function checkCategories(categories: readonly string[], context: Context): void {
  for (const [index, category] of categories.entries()) {
    if (categories.indexOf(category) !== index) refuse(context, [index], `repeats ${JSON.stringify(category)}`);
  }
}

/** Arguments of the gateway are not repeated. */
export function checkGatewayArguments(names: readonly string[], context: Context): void {
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) refuse(context, [index], `repeats ${name}`);
  }
}

/** An operation is either exposed or excluded, and one environment variable replaces one server variable. */
export function checkDecisions(
  config: {
    readonly notExposed: Readonly<Record<string, string>>;
    readonly tools: Readonly<Record<string, { readonly operation: string }>>;
    readonly serverVariables: Readonly<Record<string, { readonly env?: string | undefined }>>;
  },
  context: Context,
): void {
  for (const [name, { operation }] of Object.entries(config.tools)) {
    if (!Object.hasOwn(config.notExposed, operation)) continue;
    refuse(context, ['tools', name, 'operation'], `${operation} is under \`notExposed\` as well`);
  }
  const owners = new Map<string, string>();
  for (const [name, { env }] of Object.entries(config.serverVariables)) {
    if (env === undefined) continue;
    const owner = owners.get(env);
    if (owner === undefined) owners.set(env, name);
    else refuse(context, ['serverVariables', name, 'env'], `${env} is the environment variable of ${owner} already`);
  }
}

function refuse(context: Context, path: (string | number)[], message: string): void {
  context.addIssue({ code: 'custom', path, message });
}
