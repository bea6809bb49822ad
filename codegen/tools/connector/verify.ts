/** Calls that the gateway makes on its own: they test a credential, name the account, preview a call, and read the state of work. */

import { WithheldPaths } from '../../../shared/withheld.ts';
import { withoutUndefined } from '../../json.ts';
import type { WaitConfig } from '../../load/config/wait.ts';
import type { ConnectorConfig } from '../../load/connector-config.ts';
import { checkPointer } from '../answers/answer-pointers.ts';
import { type CheckContext, createCallCheck } from '../named-calls.ts';
import { type Reporter, suggest } from '../problems.ts';
import { createValidator } from '../schema/validator.ts';
import type { ConnectorModel, ToolModel } from '../types.ts';
import { joinSentences, MAX_TOOL_DESCRIPTION_CHARS, toShortText } from '../words/texts.ts';

/** The call that tests a credential: a read-only tool, with arguments that its input schema accepts. */
export function buildVerify(
  config: ConnectorConfig['verify'],
  tools: readonly ToolModel[],
  report: Reporter,
  of: { readonly path: Path; readonly extra: string } | null = null,
): ConnectorModel['verify'] {
  if (config === undefined) return null;
  const path = [...(of?.path ?? []), 'verify'];
  const tool = findTool('config-verify', path, config, { tools, report });
  if (tool === null) return null;
  const refuse = (problem: string) => report.config('config-verify', [...path, 'tool'], `${tool.name} ${problem}`);
  if (!tool.annotations.readOnlyHint) refuse('changes data: it is not a test of a credential.');
  if (tool.credential?.length === 0) refuse('is sent without the credential: it is not a test of it.');
  if (of !== null && tool.extra !== of.extra) refuse(`does not need ${of.extra}: it is not a test of it.`);
  return { tool: tool.name, arguments: config.arguments };
}

/** The credential with the calls that test what few tools need in addition. */
export function verifyExtras(
  credential: ConnectorModel['credential'],
  { credential: { extras: own = [] } }: ConnectorConfig,
  tools: readonly ToolModel[],
  report: Reporter,
): ConnectorModel['credential'] {
  if (own.length === 0 || credential.extras === undefined) return credential;
  const extras = credential.extras.map((kind, index) => {
    const of = { path: ['credential', 'extras', index], extra: kind.label };
    const verify = buildVerify(own[index]?.verify, tools, report, of);
    return verify === null ? kind : { ...kind, verify };
  });
  return { ...credential, extras };
}

/** The call whose answer names the account. */
export function buildAccount(
  config: ConnectorConfig['account'],
  { tools, answersOf, resolve, report }: CheckContext,
): ConnectorModel['account'] {
  if (config === undefined) return null;
  const tool = findTool('config-account', ['account'], config, { tools, report });
  if (tool === null) return null;
  if (!tool.annotations.readOnlyHint) {
    report.config(
      'config-account',
      ['account', 'tool'],
      `${tool.name} changes data: it is called on every connection.`,
    );
  }
  const answers = answersOf(tool.name);
  for (const [index, pointer] of config.name.entries()) {
    checkPointer('config-account', ['account', 'name', index], pointer, { tool: tool.name, answers, resolve, report });
    if (new WithheldPaths(tool.result.withhold ?? {}).holds(pointer)) {
      report.config('config-account', ['account', 'name', index], `${tool.name} withholds ${pointer}.`);
    }
  }
  return { tool: tool.name, arguments: config.arguments, name: config.name };
}

/** Previews call tools that only read, with arguments that both tools have. @returns the tools. */
export function checkPreviews({ tools, ...parts }: CheckContext): readonly ToolModel[] {
  for (const tool of tools) {
    const { preview } = tool;
    const check = createCallCheck(tool, 'preview', { tools, ...parts });
    const reading = preview && check.findReadOnlyTool(preview.tool, ['tool'], 'it is no preview');
    if (preview === undefined || reading === undefined) continue;
    check.arguments(reading, preview.arguments, ['arguments'], null);
    check.requiredArguments(reading, preview.arguments, ['arguments']);
  }
  return tools;
}

type Path = readonly (string | number)[];

function findTool(
  code: 'config-verify' | 'config-account',
  path: Path,
  config: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> },
  { tools, report }: { readonly tools: readonly ToolModel[]; readonly report: Reporter },
): ToolModel | null {
  const tool = tools.find(({ name }) => name === config.tool);
  if (tool === undefined) {
    const fix = suggest(
      config.tool,
      tools.map(({ name }) => name),
      'Expose an operation first: the service has no tools.',
    );
    report.config(code, [...path, 'tool'], `There is no tool ${config.tool}.`, fix);
    return null;
  }
  const names = tool.arguments.map(({ name }) => name);
  const unknown = Object.keys(config.arguments).filter((name) => !names.includes(name));
  for (const name of unknown) {
    const fix = suggest(name, names, 'Remove it: the tool has no arguments.');
    report.config(code, [...path, 'arguments', name], `${tool.name} has no argument ${name}.`, fix);
  }
  if (unknown.length === 0) {
    const refusal = refusalOf(tool, config.arguments);
    if (refusal !== null) report.config(code, [...path, 'arguments'], `${tool.name} refuses them: ${refusal}.`);
  }
  return tool;
}

function refusalOf(tool: ToolModel, values: Readonly<Record<string, unknown>>): string | null {
  const ajv = createValidator({ allErrors: true });
  const validate = ajv.compile(tool.inputSchema);
  return validate(values) ? null : ajv.errorsText(validate.errors, { dataVar: 'arguments' });
}

/** `wait` of connector.yaml with its defaults. `checkWaits` checks whether the tool that it names exists. */
export function toWait(config: WaitConfig | undefined): ToolModel['wait'] {
  if (config === undefined) return undefined;
  const { tool, arguments: args, state, until = [], failed = [] } = config;
  return withoutUndefined({ tool, arguments: args, state, until, failed });
}

/** The description with what a model has to know of the wait. */
export function withWait(description: string, config: WaitConfig | undefined): string {
  if (config === undefined) return description;
  const text = `Waits for the end of the work while the call may last, then answers as ${config.tool}.`;
  return joinSentences(toShortText(description, MAX_TOOL_DESCRIPTION_CHARS - text.length - 2), text);
}

/**
 * Checks each `wait`, and reports what cannot be read. Adds `location` to one without `arguments`: which segment of the path in the `Location`
 * header is which argument of the tool that it calls.
 */
export function checkWaits({ tools, ...parts }: CheckContext): readonly ToolModel[] {
  return tools.map((tool): ToolModel => {
    const { wait } = tool;
    const check = createCallCheck(tool, 'wait', { tools, ...parts });
    const reading = wait && check.findReadOnlyTool(wait.tool, ['tool'], 'it cannot tell the state');
    if (wait === undefined || reading === undefined) return tool;
    check.arguments(reading, wait.arguments ?? {}, ['arguments'], tool);
    if (wait.state !== undefined) check.place(reading, wait.state, ['state']);
    const location = wait.arguments === undefined ? locationOf(reading) : {};
    check.requiredArguments(reading, { ...wait.arguments, ...location }, ['arguments']);
    return Object.keys(location).length === 0 ? tool : { ...tool, wait: { ...wait, location } };
  });
}

/** By argument: its segment of the path, from the end. */
function locationOf({ operation, arguments: args }: ToolModel): Readonly<Record<string, number>> {
  const segments = (operation.target?.path ?? operation.path).split('/').reverse();
  return Object.fromEntries(
    args.flatMap(({ name, wire }) => {
      const index = wire?.in === 'path' ? segments.indexOf(`{${wire.name}}`) : -1;
      return index < 0 ? [] : [[name, index]];
    }),
  );
}
