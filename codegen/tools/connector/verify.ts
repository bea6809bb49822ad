/** Calls that the gateway makes on its own: one tests a credential, one reads the name of the account. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { compilePattern } from '../../../shared/patterns/index.ts';
import { WithheldPaths } from '../../../shared/withheld.ts';
import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { OperationModel } from '../../model/types.ts';
import { checkPointer } from '../answers/places.ts';
import { type Reporter, suggest } from '../problems.ts';
import type { Resolve } from '../schema/readers.ts';
import type { ConnectorModel, ToolModel } from '../types.ts';
import { answerSchemas } from './answers.ts';

/** The call that tests a credential: a read-only tool, with arguments that its input schema accepts. */
export function buildVerify(
  config: ConnectorConfig['verify'],
  tools: readonly ToolModel[],
  report: Reporter,
): ConnectorModel['verify'] {
  if (config === undefined) return null;
  const tool = findTool('verify', config, tools, report);
  if (tool === null) return null;
  if (!tool.annotations.readOnlyHint) {
    report.config('config-verify', ['verify', 'tool'], `${tool.name} changes data: it is not a test of a credential.`);
  }
  return { tool: tool.name, arguments: config.arguments };
}

/** The call whose answer names the account. @param operationOf the operation of a tool, by tool name */
export function buildAccount(
  config: ConnectorConfig['account'],
  tools: readonly ToolModel[],
  { operationOf, resolve }: { operationOf: (tool: string) => OperationModel | undefined; resolve: Resolve },
  report: Reporter,
): ConnectorModel['account'] {
  if (config === undefined) return null;
  const tool = findTool('account', config, tools, report);
  if (tool === null) return null;
  if (!tool.annotations.readOnlyHint) {
    report.config(
      'config-account',
      ['account', 'tool'],
      `${tool.name} changes data: it is called on every connection.`,
    );
  }
  const operation = operationOf(tool.name);
  const answers = operation === undefined ? [] : answerSchemas(operation, resolve);
  for (const [index, pointer] of config.name.entries()) {
    checkPointer('config-account', ['account', 'name', index], pointer, { tool: tool.name, answers, resolve, report });
    if (new WithheldPaths(tool.result.withhold ?? {}).holds(pointer)) {
      report.config('config-account', ['account', 'name', index], `${tool.name} withholds ${pointer}.`);
    }
  }
  return { tool: tool.name, arguments: config.arguments, name: config.name };
}

/** Previews call tools that only read, with arguments that both tools have. @returns the tools. */
export function checkPreviews(tools: readonly ToolModel[], report: Reporter): readonly ToolModel[] {
  for (const { name, preview, arguments: own } of tools) {
    if (preview === undefined) continue;
    const refuse = (keys: readonly string[], problem: string, fix?: string) =>
      report.config('config-preview', ['tools', name, 'preview', ...keys], problem, fix);
    const reading = tools.find((tool) => tool.name === preview.tool);
    const names = (list: ToolModel['arguments']) => list.map((argument) => argument.name);
    if (reading === undefined) {
      const known = tools.map((tool) => tool.name);
      refuse(['tool'], `There is no tool ${preview.tool}.`, suggest(preview.tool, known, 'The service has no tools.'));
      continue;
    }
    if (!reading.annotations.readOnlyHint) refuse(['tool'], `${reading.name} changes data: it is no preview.`);
    for (const [argument, from] of Object.entries(preview.arguments)) {
      const [missing, tool] = names(reading.arguments).includes(argument)
        ? [names(own).includes(from) ? null : from, name]
        : [argument, reading.name];
      if (missing !== null) refuse(['arguments', argument], `${tool} has no argument ${missing}.`);
    }
    const needed = reading.arguments.find((argument) => argument.required && !(argument.name in preview.arguments));
    if (needed !== undefined) refuse(['arguments'], `${reading.name} needs the argument ${needed.name}.`);
  }
  return tools;
}

function findTool(
  key: 'verify' | 'account',
  config: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> },
  tools: readonly ToolModel[],
  report: Reporter,
): ToolModel | null {
  const code = `config-${key}` as const;
  const tool = tools.find(({ name }) => name === config.tool);
  if (tool === undefined) {
    const fix = suggest(
      config.tool,
      tools.map(({ name }) => name),
      'The service has no tools.',
    );
    report.config(code, [key, 'tool'], `There is no tool ${config.tool}.`, fix);
    return null;
  }
  const names = tool.arguments.map(({ name }) => name);
  const unknown = Object.keys(config.arguments).filter((name) => !names.includes(name));
  for (const name of unknown) {
    const fix = suggest(name, names, 'The tool has no arguments.');
    report.config(code, [key, 'arguments', name], `${tool.name} has no argument ${name}.`, fix);
  }
  if (unknown.length === 0) {
    const refusal = refusalOf(tool, config.arguments);
    if (refusal !== null) report.config(code, [key, 'arguments'], `${tool.name} refuses them: ${refusal}.`);
  }
  return tool;
}

function refusalOf(tool: ToolModel, values: Readonly<Record<string, unknown>>): string | null {
  const regExp = Object.assign(compilePattern, { code: 'compilePattern' });
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { regExp } });
  addFormats.default(ajv);
  const validate = ajv.compile(tool.inputSchema);
  return validate(values) ? null : ajv.errorsText(validate.errors, { dataVar: 'arguments' });
}
