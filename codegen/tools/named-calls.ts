/** Checks the calls that rules of a tool name (`preview`, `wait`): their tools, arguments, and the places that give these their values. */

import { WithheldPaths } from '../../shared/withheld.ts';
import type { Schema } from '../model/types.ts';
import { checkPointer } from './answers/places.ts';
import { type Reporter, suggest } from './problems.ts';
import type { Resolve } from './schema/readers.ts';
import type { ToolModel } from './types.ts';

/** The parts of a service that such checks need. */
export interface ServiceParts {
  readonly tools: readonly ToolModel[];
  /** Schemas of the 2xx answers of a tool. */
  readonly answersOf: (tool: string) => readonly Schema[];
  readonly resolve: Resolve;
  readonly report: Reporter;
}

/** @param own the tool that has the rule. Paths of `keys` begin in that. */
export function createCallCheck(
  own: ToolModel,
  rule: 'preview' | 'wait',
  { tools, answersOf, resolve, report }: ServiceParts,
) {
  const code = `config-${rule}` as const;
  const at = (keys: readonly string[]) => ['tools', own.name, rule, ...keys];
  const refuse = (keys: readonly string[], problem: string, fix?: string) =>
    report.config(code, at(keys), problem, fix);
  const argument = (tool: ToolModel, name: string, keys: readonly string[]) => {
    const known = tool.arguments.map((one) => one.name);
    if (!known.includes(name))
      refuse(keys, `${tool.name} has no argument ${name}.`, suggest(name, known, 'The tool has no arguments.'));
  };
  const place = ({ name, result }: ToolModel, pointer: string, keys: readonly string[]) => {
    checkPointer(code, at(keys), pointer, { tool: name, answers: answersOf(name), resolve, report });
    if (new WithheldPaths(result.withhold ?? {}).holds(pointer)) refuse(keys, `${name} withholds ${pointer}.`);
  };
  return {
    place,
    /** Finds a tool that only reads. @param why it has to. */
    findReading(name: string, keys: readonly string[], why: string) {
      const found = tools.find((one) => one.name === name);
      if (found === undefined) {
        const known = tools.map((one) => one.name);
        refuse(keys, `There is no tool ${name}.`, suggest(name, known, 'The service has no tools.'));
      } else if (!found.annotations.readOnlyHint) {
        refuse(keys, `${name} changes data: ${why}.`);
      }
      return found;
    },
    /** @param source the tool whose answer the pointers lead into, or null if there is no answer yet. */
    arguments(
      tool: ToolModel,
      given: Readonly<Record<string, string>>,
      keys: readonly string[],
      source: ToolModel | null,
    ) {
      for (const [name, from] of Object.entries(given)) {
        argument(tool, name, [...keys, name]);
        if (!from.startsWith('/')) argument(own, from, [...keys, name]);
        else if (source !== null) place(source, from, [...keys, name]);
        else refuse([...keys, name], 'Nothing was answered yet: name an argument.');
      }
    },
    needed(tool: ToolModel, given: object, keys: readonly string[]) {
      const missing = tool.arguments.find(({ name, required }) => required && !Object.hasOwn(given, name));
      if (missing !== undefined) refuse(keys, `${tool.name} needs the argument ${missing.name}.`);
    },
  };
}
