/** Checks what takes calls back: its tools, their arguments, and the places of answers that give these their values. */

import { WithheldPaths } from '../../shared/withheld.ts';
import type { OperationModel } from '../model/types.ts';
import { checkPointer } from './answers/places.ts';
import { answerSchemas } from './connector/answers.ts';
import { type Reporter, suggest } from './problems.ts';
import type { Resolve } from './schema/readers.ts';
import type { ToolModel } from './types.ts';

/** @param operationOf the operation of a tool, by tool name. */
interface Places {
  readonly operationOf: (tool: string) => OperationModel | undefined;
  readonly resolve: Resolve;
}

/** Tools with their rules, which say where the undoing tool takes If-Match. Reports what cannot be called or read. */
export function checkUndos(tools: readonly ToolModel[], places: Places, report: Reporter): readonly ToolModel[] {
  return tools.map((tool) => {
    const { undo } = tool;
    const check = undo && createCheck(tool, { tools, places, report });
    const [undoing, reading] = [
      check?.find(undo?.tool ?? '', ['tool']),
      check?.find(undo?.read.tool ?? '', ['read', 'tool']),
    ];
    if (undo === undefined || check === undefined || undoing === undefined || reading === undefined) return tool;
    const source = undo.from === 'result' ? tool : reading;
    if (tool.annotations.readOnlyHint) check.refuse([], `${tool.name} only reads: nothing takes it back.`);
    if (!reading.annotations.readOnlyHint)
      check.refuse(['read', 'tool'], `${reading.name} changes data: it cannot tell what there is.`);
    check.arguments(undoing, undo.arguments, ['arguments'], source);
    check.arguments(reading, undo.read.arguments, ['read', 'arguments'], undo.from === 'result' ? tool : null);
    for (const [pointer, value] of Object.entries(undo.unchanged ?? {})) {
      check.place(reading, pointer, ['unchanged', pointer]);
      if (typeof value === 'string') check.argument(tool, value, ['unchanged', pointer]);
    }
    for (const [name, how] of Object.entries(undo.applies ?? {})) {
      check.argument(undoing, name, ['applies', name]);
      if (how !== 'merge') check.argument(undoing, how, ['applies', name]);
    }
    const ifMatch = undoing.arguments.find(({ wire }) => wire?.in === 'header' && /^if-match$/i.test(wire.name ?? ''));
    return ifMatch === undefined ? tool : { ...tool, undo: { ...undo, ifMatch: ifMatch.name } };
  });
}

interface Parts {
  readonly tools: readonly ToolModel[];
  readonly places: Places;
  readonly report: Reporter;
}

function createCheck(own: ToolModel, { tools, places: { operationOf, resolve }, report }: Parts) {
  const at = (keys: readonly string[]) => ['tools', own.name, 'undo', ...keys];
  const refuse = (keys: readonly string[], problem: string, fix?: string) =>
    report.config('config-undo', at(keys), problem, fix);
  const argument = (tool: ToolModel, name: string, keys: readonly string[]) => {
    const known = tool.arguments.map((one) => one.name);
    if (!known.includes(name))
      refuse(keys, `${tool.name} has no argument ${name}.`, suggest(name, known, 'The tool has no arguments.'));
  };
  const place = ({ name, result }: ToolModel, pointer: string, keys: readonly string[]) => {
    const operation = operationOf(name);
    const answers = operation === undefined ? [] : answerSchemas(operation, resolve);
    checkPointer('config-undo', at(keys), pointer, { tool: name, answers, resolve, report });
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
    /** @param source the tool whose answer the pointers lead into; null: there is none yet. */
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
      const needed = tool.arguments.find((one) => one.required && !Object.hasOwn(given, one.name));
      if (needed !== undefined) refuse(keys, `${tool.name} needs the argument ${needed.name}.`);
    },
  };
}
