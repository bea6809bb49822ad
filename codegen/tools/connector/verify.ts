/** The call that proves a credential: a tool that only reads, with arguments that its input schema accepts. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { compilePattern } from '../../../patterns/index.ts';
import type { ConnectorConfig } from '../../load/connector-config.ts';
import { type Reporter, suggest } from '../problems.ts';
import type { ConnectorModel, ToolModel } from '../types.ts';

export function buildVerify(
  config: ConnectorConfig['verify'],
  tools: readonly ToolModel[],
  report: Reporter,
): ConnectorModel['verify'] {
  if (config === undefined) return null;
  const tool = tools.find(({ name }) => name === config.tool);
  if (tool === undefined) {
    const fix = suggest(
      config.tool,
      tools.map(({ name }) => name),
      'The service has no tools.',
    );
    report.config('config-verify', ['verify', 'tool'], `There is no tool ${config.tool}.`, fix);
    return null;
  }
  if (!tool.annotations.readOnlyHint) {
    report.config('config-verify', ['verify', 'tool'], `${tool.name} changes data: it is no test of a credential.`);
  }
  const names = tool.arguments.map(({ name }) => name);
  const unknown = Object.keys(config.arguments).filter((name) => !names.includes(name));
  for (const name of unknown) {
    const fix = suggest(name, names, 'The tool has no arguments.');
    report.config('config-verify', ['verify', 'arguments', name], `${tool.name} has no argument ${name}.`, fix);
  }
  if (unknown.length === 0) checkArguments(tool, config.arguments, report);
  return { tool: tool.name, arguments: config.arguments };
}

function checkArguments(tool: ToolModel, values: Readonly<Record<string, unknown>>, report: Reporter): void {
  const regExp = Object.assign(compilePattern, { code: 'compilePattern' });
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { regExp } });
  addFormats.default(ajv);
  const validate = ajv.compile(tool.inputSchema);
  if (validate(values)) return;
  report.config(
    'config-verify',
    ['verify', 'arguments'],
    `${tool.name} refuses them: ${ajv.errorsText(validate.errors, { dataVar: 'arguments' })}.`,
  );
}
