/**
 * Numbers and flags that stand where only text can: `1.10` under `type: string`, or as the key of a map. They are read as the digits that the
 * author wrote, because `1.10` as a number is `1.1`, and `0644` is `644`.
 */

import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import { escapeToken, toPointer } from '../../json-pointer.ts';

/** The message of such a repair. */
export const NUMBERS_AS_TEXT =
  'A schema for text has numbers or flags as values. They are read as the text that was written.';

/** Members of a schema whose value is one value of its type. */
const VALUES = ['const', 'default', 'example'];
/** Members of a schema that list values of its type. */
const LISTS = ['enum', 'examples'];
const MEMBERS = [...VALUES, ...LISTS];
/** Those that decide what is valid or sent. A number in an example is no mistake that an author should hear of. */
const DECISIVE = ['const', 'default', 'enum'];
const NUMERIC_TYPES: readonly unknown[] = ['number', 'integer', 'boolean'];

/** True for `type: string` and `type: [string, 'null']`. */
function isTextType(type: unknown): boolean {
  if (!Array.isArray(type)) return type === 'string';
  return type.includes('string') && !type.some((name) => NUMERIC_TYPES.includes(name));
}

/**
 * Gives scalars of a YAML document their source where only text can stand. Changes the nodes.
 *
 * @param root the contents of the document.
 * @returns the pointers of schemas with such values. Keys of maps and names are texts in every descriptor, and are not returned.
 */
export function restoreYamlTexts(root: unknown): string[] {
  const schemas: string[] = [];
  const visit = (node: unknown, pointer: string): void => {
    if (isSeq(node)) for (const [index, item] of node.items.entries()) visit(item, `${pointer}/${index}`);
    if (!isMap(node)) return;
    for (const { key, value } of node.items) {
      restoreText(key);
      visit(value, `${pointer}/${escapeToken(String(isScalar(key) ? key.value : ''))}`);
    }
    if (node.has('in')) restoreText(node.get('name', true));
    if (node.has('properties')) for (const item of itemsOf(node, 'required')) restoreText(item);
    if (!isTextType(toPlain(node.get('type', true)))) return;
    const restored = MEMBERS.filter((member) => {
      const values = LISTS.includes(member) ? itemsOf(node, member) : [node.get(member, true)];
      return values.map(restoreText).includes(true);
    });
    if (restored.some((member) => DECISIVE.includes(member))) schemas.push(pointer);
  };
  visit(root, '');
  const info = isMap(root) ? root.get('info', true) : undefined;
  if (isMap(info)) for (const member of ['title', 'version']) restoreText(info.get(member, true));
  return schemas;
}

/** @returns true if the node was a number or a flag. */
function restoreText(node: unknown): boolean {
  if (!isScalar(node) || node.source === undefined) return false;
  if (typeof node.value !== 'number' && typeof node.value !== 'boolean') return false;
  node.value = node.source;
  return true;
}

function itemsOf(map: YAMLMap, member: string): readonly unknown[] {
  const list = map.get(member, true) as unknown;
  return isSeq(list) ? list.items : [];
}

function toPlain(node: unknown): unknown {
  if (isScalar(node)) return node.value;
  return isSeq(node) ? node.items.map(toPlain) : undefined;
}

/**
 * Gives numbers of a JSON document their digits where only text can stand. Changes the value.
 *
 * @param root the parsed text.
 * @param sourceAt the text of the scalar at a pointer.
 * @returns the pointers of schemas with such numbers.
 */
export function restoreJsonTexts(root: unknown, sourceAt: (pointer: string) => string): string[] {
  const schemas: string[] = [];
  const tokens: string[] = [];
  const restore = (holder: Record<string, unknown>, token: string): boolean => {
    if (typeof holder[token] !== 'number') return false;
    holder[token] = sourceAt(toPointer([...tokens, token]));
    return true;
  };
  const restoreAll = (list: Record<string, unknown>, member: string): boolean => {
    tokens.push(member);
    const restored = Object.keys(list).map((token) => restore(list, token));
    tokens.pop();
    return restored.includes(true);
  };
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const members = node as Record<string, unknown>;
    if (isTextType(members.type)) {
      const restored = MEMBERS.filter((name) => {
        const value = members[name];
        return LISTS.includes(name) && Array.isArray(value)
          ? restoreAll(value as unknown as Record<string, unknown>, name)
          : VALUES.includes(name) && restore(members, name);
      });
      if (restored.some((name) => DECISIVE.includes(name))) schemas.push(toPointer(tokens));
    }
    for (const token of Object.keys(members)) {
      tokens.push(token);
      visit(members[token]);
      tokens.pop();
    }
  };
  visit(root);
  return schemas;
}
