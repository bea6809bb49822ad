/** Tools that find items of a list by a key. They are sent as their list, of which they take the required arguments. */

import { isRecord, withoutUndefined } from '../../json.ts';
import { pointerTokens } from '../../json-pointer.ts';
import type { ToolConfig } from '../../load/connector-config.ts';
import type { Reporter } from '../problems.ts';
import type { ToolModel } from '../types.ts';
import { findUnknownMember } from './filters.ts';

const MAX_KEY_LENGTH = 200;

/** Reports a list that cannot be searched, members that its items do not have, and a name that is taken. */
export function buildFind(
  list: ToolModel,
  find: NonNullable<ToolConfig['find']>,
  names: ReadonlySet<string>,
  report: Reporter,
): ToolModel {
  const refuse = (message: string, fix?: string) =>
    report.config('config-find', ['tools', list.name, 'find'], message, fix);
  const items = list.page?.items ?? (list.result.wrapItems ? '/items' : null);
  if (items === null || list.result.rows !== null || !list.annotations.readOnlyHint) {
    refuse(`${list.name} does not list objects.`, 'Say in `pagination` where the records are (`items`).');
  }
  if (names.has(find.tool)) refuse(`${find.tool} is the name of another tool.`);
  const required = list.arguments.filter((argument) => argument.required);
  if (required.some(({ name }) => name === 'key')) refuse(`${list.name} has a required argument key.`);
  const keyMembers = find.by.map((key) => key.split('+').map((member) => member.trim()));
  for (const member of keyMembers.flat()) {
    const problem = findUnknownMember(list, member);
    if (problem !== null) refuse(problem.message, problem.fix);
  }
  const words = keyMembers.map((members) => members.join(' ')).join(', or ');
  const key = { type: 'string', description: `${words}.`, minLength: 1, maxLength: MAX_KEY_LENGTH };
  const { aliases: _, filters: __, answersJson: ___, rare: ____, ...rest } = list;
  const { $defs, properties } = list.inputSchema;
  const requiredProperties = Object.entries(isRecord(properties) ? properties : {}).filter(([name]) =>
    required.some((argument) => argument.name === name),
  );
  const [itemsKey = 'items'] = pointerTokens(items ?? '');
  return {
    ...rest,
    name: find.tool,
    title: find.title ?? list.title.replace(/^List /, 'Find '),
    description:
      find.description ??
      `Finds items of ${list.name} by an exact ${words}, ignoring case; near ones are named if there is none.`,
    arguments: [...required, { name: 'key', required: true, schema: key, wire: null }],
    inputSchema: withoutUndefined({
      type: 'object',
      properties: { ...Object.fromEntries(requiredProperties), key },
      required: [...requiredProperties.map(([name]) => name), 'key'],
      additionalProperties: false,
      $defs: JSON.stringify(requiredProperties).includes('$ref') ? $defs : undefined,
    }),
    gatewayArguments: ['key'],
    outputSchema: { type: 'object', properties: { [itemsKey]: { description: `As in ${list.name}.` } } },
    page: null,
    find: { list: list.name, by: keyMembers },
  };
}
