/** Checks the calls that rules of a tool name (`preview`, `wait`, `undo`): their tools, arguments, and the places that give these their values. */

import { WithheldPaths } from '../../shared/withheld.ts';
import type { Schema } from '../model/types.ts';
import { checkPointer } from './answers/places.ts';
import { type Reporter, suggest } from './problems.ts';
import type { Resolve } from './schema/readers.ts';
import type { ToolModel } from './types.ts';

/** What such checks know of the service. */
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
  rule: 'preview' | 'wait' | 'undo',
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
    ...{ refuse, argument, place },
    find(name: string, keys: readonly string[]) {
      const known = tools.map((one) => one.name);
      const found = tools.find((one) => one.name === name);
      if (found === undefined)
        refuse(keys, `There is no tool ${name}.`, suggest(name, known, 'The service has no tools.'));
      return found;
    },
    /** The same for a tool that only reads. @param why it has to. */
    findReading(name: string, keys: readonly string[], why: string) {
      const found = this.find(name, keys);
      if (found?.annotations.readOnlyHint === false) refuse(keys, `${name} changes data: ${why}.`);
      return found;
    },
    /** @param source the tool whose answer the pointers lead into; null: nothing was answered yet. */
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

/** Tools with what takes their calls back, which says where the undoing tool takes If-Match. */
export function checkUndos({ tools, ...parts }: ServiceParts): readonly ToolModel[] {
  return tools.map((tool) => {
    const { undo } = tool;
    if (undo === undefined) return tool;
    const check = createCallCheck(tool, 'undo', { tools, ...parts });
    const undoing = check.find(undo.tool, ['tool']);
    const reading = check.findReading(undo.read.tool, ['read', 'tool'], 'it cannot tell what there is');
    if (undoing === undefined || reading === undefined) return tool;
    const isOfResult = undo.from === 'result';
    if (tool.annotations.readOnlyHint) check.refuse([], `${tool.name} only reads: nothing takes it back.`);
    check.arguments(undoing, undo.arguments, ['arguments'], isOfResult ? tool : reading);
    check.needed(undoing, undo.arguments, ['arguments']);
    check.arguments(reading, undo.read.arguments, ['read', 'arguments'], isOfResult ? tool : null);
    check.needed(reading, undo.read.arguments, ['read', 'arguments']);
    for (const [pointer, value] of Object.entries(undo.unchanged ?? {})) {
      check.place(reading, pointer, ['unchanged', pointer]);
      if (typeof value === 'string') check.argument(tool, value, ['unchanged', pointer]);
    }
    for (const [name, how] of Object.entries(undo.applies ?? {}))
      for (const one of how === 'merge' ? [name] : [name, how]) check.argument(undoing, one, ['applies', name]);
    const ifMatch = undoing.arguments.find(({ wire }) => wire?.in === 'header' && /^if-match$/i.test(wire.name ?? ''));
    return ifMatch === undefined ? tool : { ...tool, undo: { ...undo, ifMatch: ifMatch.name } };
  });
}
