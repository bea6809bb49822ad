/**
 * Numbers and flags that stand where only text can: `1.10` under `type: string`, or as the key of a map. They are read as the digits that the
 * author wrote, because `1.10` as a number is `1.1`, and `0644` is `644`.
 */

import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import { isRecord, setMember } from '../../json.ts';
import { escapeToken } from '../../json-pointer.ts';

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
  const types = [type].flat();
  return types.includes('string') && !types.some((name) => NUMERIC_TYPES.includes(name));
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

/** A number of a JSON text with its digits. */
class SourceNumber {
  readonly value: number;
  readonly source: string;

  constructor(value: number, source: string) {
    this.value = value;
    this.source = source;
  }
}

/**
 * Gives numbers of a JSON document their digits where only text can stand. The text is parsed a second time if there are any.
 *
 * @param value the parsed text.
 * @returns the document, and the pointers of the schemas with such numbers.
 */
export function restoreJsonTexts(
  text: string,
  value: unknown,
): { readonly value: unknown; readonly schemas: readonly string[] } {
  if (!hasNumberForText(value)) return { value, schemas: [] };
  const withSources: unknown = JSON.parse(text, (_key, member: unknown, context?: { readonly source?: string }) =>
    typeof member === 'number' ? new SourceNumber(member, context?.source ?? String(member)) : member,
  );
  const schemas: string[] = [];
  const unwrap = (node: unknown, pointer: string): unknown => {
    if (node instanceof SourceNumber) return node.value;
    if (Array.isArray(node)) return node.map((item, index) => unwrap(item, `${pointer}/${index}`));
    if (!isRecord(node)) return node;
    const isSchema = hasNumber(node, MEMBERS);
    if (hasNumber(node, DECISIVE)) schemas.push(pointer);
    const unwrapped: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(node)) {
      const isText = isSchema && VALUES.includes(name);
      const isTextList = isSchema && LISTS.includes(name) && Array.isArray(member);
      let restored = isText ? toText(member) : member;
      if (isTextList) restored = member.map(toText);
      setMember(unwrapped, name, unwrap(restored, `${pointer}/${escapeToken(name)}`));
    }
    return unwrapped;
  };
  return { value: unwrap(withSources, ''), schemas };
}

function toText(value: unknown): unknown {
  return value instanceof SourceNumber ? value.source : value;
}

function hasNumberForText(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasNumberForText);
  if (!isRecord(node)) return false;
  return hasNumber(node, MEMBERS) || Object.values(node).some(hasNumberForText);
}

/** True for a schema for text with a number among the values of these members. */
function hasNumber(schema: Readonly<Record<string, unknown>>, members: readonly string[]): boolean {
  if (!isTextType(schema.type)) return false;
  const values = members.flatMap((member) => schema[member] ?? []);
  return values.some((value) => typeof value === 'number' || value instanceof SourceNumber);
}
