/** Checks the calls that rules of a tool name (`preview`, `wait`): their tools, arguments, and the places that give these their values. */

import { WithheldPaths } from '../../shared/withheld.ts';
import type { Schema } from '../model/types.ts';
import { checkPointer } from './answers/answer-pointers.ts';
import { type Reporter, suggest } from './problems.ts';
import type { Resolve } from './schema/readers.ts';
import type { ToolModel } from './types.ts';

/** The parts of a service that such checks need. */
export interface CheckContext {
  readonly tools: readonly ToolModel[];
  /** Schemas of the 2xx answers of a tool. */
  readonly answersOf: (tool: string) => readonly Schema[];
  readonly resolve: Resolve;
  readonly report: Reporter;
}

/** @param ruleTool the tool that has the rule. Paths of `keys` begin in that. */
export function createCallCheck(
  ruleTool: ToolModel,
  rule: 'preview' | 'wait',
  { tools, answersOf, resolve, report }: CheckContext,
) {
  const code = `config-${rule}` as const;
  const configPath = (keys: readonly string[]) => ['tools', ruleTool.name, rule, ...keys];
  const refuse = (keys: readonly string[], problem: string, fix?: string) =>
    report.config(code, configPath(keys), problem, fix);
  const checkArgument = (tool: ToolModel, name: string, keys: readonly string[]) => {
    const argumentNames = tool.arguments.map((candidate) => candidate.name);
    if (!argumentNames.includes(name))
      refuse(
        keys,
        `${tool.name} has no argument ${name}.`,
        suggest(name, argumentNames, 'Remove it: the tool has no arguments.'),
      );
  };
  const checkAnswerPointer = ({ name, result }: ToolModel, pointer: string, keys: readonly string[]) => {
    checkPointer(code, configPath(keys), pointer, { tool: name, answers: answersOf(name), resolve, report });
    if (new WithheldPaths(result.withhold ?? {}).holds(pointer)) refuse(keys, `${name} withholds ${pointer}.`);
  };
  return {
    place: checkAnswerPointer,
    /** Finds a tool that only reads. @param why it has to. */
    findReadOnlyTool(name: string, keys: readonly string[], why: string) {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) {
        const toolNames = tools.map((candidate) => candidate.name);
        refuse(
          keys,
          `There is no tool ${name}.`,
          suggest(name, toolNames, 'Expose an operation first: the service has no tools.'),
        );
      } else if (!tool.annotations.readOnlyHint) {
        refuse(keys, `${name} changes data: ${why}.`);
      }
      return tool;
    },
    /** @param source the tool whose answer the pointers lead into, or null if there is no answer yet. */
    arguments(
      tool: ToolModel,
      argumentSources: Readonly<Record<string, string>>,
      keys: readonly string[],
      source: ToolModel | null,
    ) {
      for (const [name, origin] of Object.entries(argumentSources)) {
        checkArgument(tool, name, [...keys, name]);
        if (!origin.startsWith('/')) checkArgument(ruleTool, origin, [...keys, name]);
        else if (source !== null) checkAnswerPointer(source, origin, [...keys, name]);
        else refuse([...keys, name], 'Nothing was answered yet: name an argument.');
      }
    },
    requiredArguments(tool: ToolModel, argumentSources: object, keys: readonly string[]) {
      const missing = tool.arguments.find(({ name, required }) => required && !Object.hasOwn(argumentSources, name));
      if (missing !== undefined) refuse(keys, `${tool.name} needs the argument ${missing.name}.`);
    },
  };
}
