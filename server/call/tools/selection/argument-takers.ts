/** Finds the tool of a service that takes an argument which another one does not. */

import { type AnyTool, isHandWritten } from '../catalogue/permitted.ts';
import { isSchema } from '../json.ts';
import { followPath } from '../results/fields.ts';
import { itemsOf } from './items.ts';

/** Longer names are no argument of any tool. */
const MAX_NAME_LENGTH = 60;

/**
 * Says which tool takes an unknown argument: the finder of the list by a key of that name, the list's own condition, or else the tool that has
 * most words of its name in common. Empty if none does.
 */
export function describeTaker(name: string, tool: AnyTool, siblings: readonly AnyTool[]): string {
  if (name.length > MAX_NAME_LENGTH) return '';
  const finder = siblings.find((other) => keyOf(other, tool, name) !== undefined);
  if (finder !== undefined) return ` ${finder.name} finds items by ${keyOf(finder, tool, name)}: give it as "key".`;
  const member = memberOf(tool, name);
  if (member !== undefined) return ` Items are found by it with "where": {${JSON.stringify(member)}: ...}.`;
  const [taker] = siblings
    .filter((other) => takes(other, name) && other.annotations.readOnlyHint === tool.annotations.readOnlyHint)
    .sort((a, b) => commonWords(b, tool) - commonWords(a, tool));
  return taker === undefined || commonWords(taker, tool) < 2 ? '' : ` ${taker.name} takes it.`;
}

/** The key of a finder that has the name, if it finds items of the tool's list, or of one that the tool's texts name for its ids. */
function keyOf(finder: AnyTool, tool: AnyTool, name: string): string | undefined {
  if (isHandWritten(finder) || finder.find === undefined) return undefined;
  const { list, by } = finder.find;
  if (list !== tool.name && !JSON.stringify(tool.inputSchema).includes(list)) return undefined;
  return by.find((members) => members.some((member) => isNamedLike(member, name)))?.join(' and ');
}

/** The member of a list's items that has the name, if the list takes conditions. */
function memberOf(tool: AnyTool, name: string): string | undefined {
  if (isHandWritten(tool) || tool.gatewayArguments?.includes('where') !== true) return undefined;
  const items = itemsOf(tool);
  if (items === null) return undefined;
  return followPath(items.schema, '').memberNames.find((member) => isNamedLike(member, name));
}

function takes({ inputSchema: { properties } }: AnyTool, name: string): boolean {
  return isSchema(properties) && Object.hasOwn(properties, name);
}

/** True if all words of the name are in the key, in any number: `email` is in `emailAddresses`, `name` in `firstName`. */
function isNamedLike(key: string, name: string): boolean {
  const keyWords = wordsOf(key);
  const words = wordsOf(name);
  return words.length > 0 && words.every((word) => keyWords.includes(word));
}

function commonWords(a: AnyTool, b: AnyTool): number {
  const words = wordsOf(b.name);
  return wordsOf(a.name).filter((word) => words.includes(word)).length;
}

/** Words in lower case and without the ending of a plural. */
function wordsOf(name: string): string[] {
  const words =
    name
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word));
}
