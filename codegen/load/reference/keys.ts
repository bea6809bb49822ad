/** Every key of `connector.yaml`, read from its JSON Schema. */

import { isRecord } from '../../json.ts';
import { emitConnectorSchema } from '../connector-schema.ts';
import { MEANINGS } from './examples.ts';
import { type SchemaNode, toNode, toTypeWords } from './type-words.ts';

interface ReferenceKey {
  readonly name: string;
  readonly type: string;
  /** `required`, a default value, or what happens without it; empty: nothing. */
  readonly otherwise: string;
  readonly meaning: string;
  /** Path of the section that explains the keys in it; null if it has none. */
  readonly section: string | null;
}

/** The keys of one object, in the order of the schema. */
interface ReferenceSection {
  /** `tools.<tool>.hints`; empty for the file itself. */
  readonly path: string;
  readonly keys: readonly ReferenceKey[];
}

/** Placeholder for the names in a map, by the map's path. */
const NAMES: Readonly<Record<string, string>> = {
  serverVariables: '<variable>',
  tools: '<tool>',
  'tools.<tool>.aliases': '<old name>',
};

/** The section that explains an object that occurs in several places. */
const HOMES: Readonly<Record<string, string>> = {
  argument: 'tools.<tool>.arguments.<argument>',
  credentialPart: 'credential.parts[]',
  oauth2: 'credential.oauth2.<scheme>',
  pagination: 'pagination',
};

/** An alternative of a node with all references followed, and the section that explains it, if there is one. */
interface Variant {
  readonly node: SchemaNode;
  readonly home: string | null;
}

/**
 * Lists the file first, then each object in it, followed directly by its nested objects. An object that occurs in
 * several places is in one section only.
 */
export function listReferenceSections(): readonly ReferenceSection[] {
  const root = JSON.parse(emitConnectorSchema()) as SchemaNode;
  const sections: ReferenceSection[] = [];
  visit([{ node: root, home: null }], '', root, sections);
  return sections;
}

function visit(variants: readonly Variant[], path: string, root: SchemaNode, sections: ReferenceSection[]): void {
  const objects = variants.map(({ node }) => node).filter(({ properties }) => isRecord(properties));
  const oauth2 =
    path === HOMES.credentialPart ? Object.keys(toNode(toNode(toNode(root.definitions).oauth2).properties)) : [];
  const names = [...new Set(objects.flatMap(({ properties }) => Object.keys(toNode(properties))))];
  const keys = names
    .filter(
      (name) => !oauth2.includes(name) || objects.filter(({ properties }) => name in toNode(properties)).length > 1,
    )
    .map((name) => {
      const own = path === '' ? name : `${path}.${name}`;
      const members = objects
        .filter(({ properties }) => name in toNode(properties))
        .map(({ properties }) => toNode(toNode(properties)[name]));
      const required = objects.every((node) => Array.isArray(node.required) && node.required.includes(name));
      return {
        name,
        own,
        members,
        required,
        inside: findInside(
          members.flatMap((one) => expand(one, root)),
          own,
          root,
        ),
      };
    });
  sections.push({
    path,
    keys: keys.map(({ name, own, members, required, inside }) => ({
      name,
      ...wordsOf(members, own, required),
      type: toTypeWords(members, root),
      section: inside?.path ?? null,
    })),
  });
  for (const { own, inside } of keys) {
    if (inside === null || !inside.path.startsWith(own)) continue;
    visit(inside.variants, inside.path, root, sections);
  }
}

/** The object in a key, in the items of its list or in the values of its map; null if there is none. */
function findInside(
  variants: readonly Variant[],
  path: string,
  root: SchemaNode,
): { readonly variants: readonly Variant[]; readonly path: string } | null {
  const objects = variants.filter(({ node }) => isRecord(node.properties));
  if (objects.length > 0) return { variants: objects, path: objects[0]?.home ?? path };
  for (const { node } of variants) {
    const below = isRecord(node.items) ? `${path}[]` : `${path}.${NAMES[path] ?? '<name>'}`;
    const content = isRecord(node.items) ? node.items : node.additionalProperties;
    const found = isRecord(content) ? findInside(expand(content, root), below, root) : null;
    if (found !== null) return found;
  }
  return null;
}

function expand(node: SchemaNode, root: SchemaNode, home: string | null = null): readonly Variant[] {
  if (typeof node.$ref === 'string') {
    const name = node.$ref.split('/').at(-1) ?? '';
    return expand(toNode(toNode(root.definitions)[name]), root, HOMES[name] ?? home);
  }
  const parts = [node.anyOf, node.oneOf, node.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return parts.length === 0 ? [{ node, home }] : parts.flatMap((part) => expand(toNode(part), root, home));
}

/** The description without its `Default: ...`, which has its own column. */
function wordsOf(
  members: readonly SchemaNode[],
  path: string,
  required: boolean,
): Pick<ReferenceKey, 'meaning' | 'otherwise'> {
  const texts = members.flatMap(({ description }) => (typeof description === 'string' ? description : []));
  const text = texts.length === 0 ? (MEANINGS[path] ?? '') : [...new Set(texts)].join(' ');
  const [, said] = /(?:^|\s)Default: (.*?)(?:\.(?=\s|$)|$)/s.exec(text) ?? [];
  const meaning = text.replace(/(?:^|\s)Default: .*?(?:\.(?=\s|$)|$)/s, '').trim();
  const value = members.find((node) => 'default' in node)?.default;
  const isEmpty = value === undefined || JSON.stringify(value).length === 2;
  return { meaning, otherwise: required ? 'required' : (said ?? (isEmpty ? '' : String(value))) };
}
