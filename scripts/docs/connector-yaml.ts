/** The reference page of all keys of `connector.yaml`, read from its JSON Schema. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { isRecord } from '../../codegen/json.ts';
import { emitConnectorSchema } from '../../codegen/load/connector-schema.ts';

/** Its committed file, relative to the project's root. Written by `npm run docs`. */
export const CONNECTOR_REFERENCE_FILE = 'docs/reference/connector-yaml.md';

const HEAD = `# connector.yaml, key by key

What we decide about one service, in \`specs/<service>/connector.yaml\`. Every key is optional unless it is required in its object; an empty file is
valid. [Connectors](../guides/connectors.md#connectoryaml) explains how the keys work together; mistakes are printed with file, line and column.

Examples show the value of the key, in one line of YAML; if a key needs others, they are shown with it.
A test checks each against the loader.
`;

/** Examples of every key, by section: one such object each, as YAML on one line. */
export const EXAMPLES = parse(
  readFileSync(path.join(import.meta.dirname, 'connector-yaml-examples.yaml'), 'utf8'),
) as Readonly<Record<string, readonly string[]>>;

/** Meanings of the contents of a section's alternatives, if its schema has none. */
const MEANINGS: Readonly<Record<string, string>> = {
  'credential.parts[].id': 'Its name in this file, and that of the security scheme that it stands for.',
  'credential.parts[].type':
    'How it is sent: as a bearer token, as user name and password, under a name (of a header, query parameter, cookie, path parameter or member of the body), or as what OAuth 2.0 gives.',
  'credential.parts[].label': 'What the connect page calls it.',
};

/** Throws for a key that has no meaning or no example; both are defined next to the schema. */
export function emitConnectorReference(): string {
  const sections = listReferenceSections();
  const problems = sections.flatMap(({ path, keys }) =>
    keys.flatMap(({ name, meaning }) => [
      ...(meaning === '' ? [`${path}.${name} has no description in its schema`] : []),
      ...(exampleOf(path, name) === null
        ? [`${path}.${name} has no example in scripts/docs/connector-yaml-examples.yaml`]
        : []),
    ]),
  );
  if (problems.length > 0) throw new Error(`${problems.join('\n')}`);
  const texts = sections.map(({ path, keys }) => {
    const rows = keys.map(({ name, type, otherwise, meaning, section }) => [
      section === null ? code(name) : `[${code(name)}](#${anchorOf(section)})`,
      type,
      otherwise,
      meaning.replaceAll(/[*<]/g, '\\$&'),
      code(exampleOf(path, name) ?? ''),
    ]);
    const table = [['Key', 'Type', 'Default', 'Meaning', 'Example'], Array(5).fill('---'), ...rows];
    const lines = table.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
    return `## ${path === '' ? 'The file' : path.replaceAll('<', '\\<')}\n\n${lines.join('\n')}\n`;
  });
  return `${HEAD}\n${texts.join('\n')}`;
}

/** Returns the shortest example of a section that has the key. Null if no example has it. */
function exampleOf(section: string, key: string): string | null {
  const has = (example: string) => new RegExp(`(?:^|[{,] )${key.replaceAll('$', '\\$')}:(?= )`).test(example);
  const candidates = (EXAMPLES[section] ?? []).filter((example) =>
    example.startsWith('{') ? has(example) : example.startsWith(`${key}: `),
  );
  return candidates.sort((a, b) => a.length - b.length)[0] ?? null;
}

/** Returns the anchor that GitHub gives the heading of a section. */
function anchorOf(section: string): string {
  return section
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');
}

function code(text: string): string {
  return `\`${text}\``;
}

interface ReferenceKey {
  readonly name: string;
  readonly type: string;
  /** `required`, a default value, or the effect of leaving the key out. The text is empty if there is nothing to say. */
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
function listReferenceSections(): readonly ReferenceSection[] {
  const root = JSON.parse(emitConnectorSchema()) as SchemaNode;
  const sections: ReferenceSection[] = [];
  visit([{ node: root, home: null }], '', root, sections);
  return sections;
}

function visit(variants: readonly Variant[], path: string, root: SchemaNode, sections: ReferenceSection[]): void {
  const objects = variants.map(({ node }) => node).filter(({ properties }) => isRecord(properties));
  const names = [...new Set(objects.flatMap(({ properties }) => Object.keys(toNode(properties))))];
  const keys = names.map((name) => {
    const keyPath = path === '' ? name : `${path}.${name}`;
    const members = objects
      .filter(({ properties }) => name in toNode(properties))
      .map(({ properties }) => toNode(toNode(properties)[name]));
    const required = objects.every((node) => Array.isArray(node.required) && node.required.includes(name));
    return {
      name,
      keyPath,
      members,
      required,
      inside: findInside(
        members.flatMap((member) => expand(member, root)),
        keyPath,
        root,
      ),
    };
  });
  sections.push({
    path,
    keys: keys.map(({ name, keyPath, members, required, inside }) => ({
      name,
      ...textsOf(members, keyPath, required),
      type: toTypeWords(members, root),
      section: inside?.path ?? null,
    })),
  });
  for (const { keyPath, inside } of keys) {
    if (inside === null || !inside.path.startsWith(keyPath)) continue;
    visit(inside.variants, inside.path, root, sections);
  }
}

/** Returns the object in a key, in the items of its list or in the values of its map. Null if there is none. */
function findInside(
  variants: readonly Variant[],
  path: string,
  root: SchemaNode,
): { readonly variants: readonly Variant[]; readonly path: string } | null {
  const objects = variants.filter(({ node }) => isRecord(node.properties));
  if (objects.length > 0) return { variants: objects, path: objects[0]?.home ?? path };
  for (const { node } of variants) {
    const nestedPath = isRecord(node.items) ? `${path}[]` : `${path}.${NAMES[path] ?? '<name>'}`;
    const content = isRecord(node.items) ? node.items : node.additionalProperties;
    const nested = isRecord(content) ? findInside(expand(content, root), nestedPath, root) : null;
    if (nested !== null) return nested;
  }
  return null;
}

function expand(node: SchemaNode, root: SchemaNode, home: string | null = null): readonly Variant[] {
  if (typeof node.$ref === 'string') {
    const name = node.$ref.split('/').at(-1) ?? '';
    return expand(toNode(toNode(root.definitions)[name]), root, HOMES[name] ?? home);
  }
  const branches = [node.anyOf, node.oneOf, node.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return branches.length === 0 ? [{ node, home }] : branches.flatMap((part) => expand(toNode(part), root, home));
}

/** Returns the description without its `Default: ...`, which has its own column. */
function textsOf(
  members: readonly SchemaNode[],
  path: string,
  required: boolean,
): { readonly meaning: string; readonly otherwise: string } {
  const texts = members.flatMap(({ description }) => (typeof description === 'string' ? description : []));
  const text = texts.length === 0 ? (MEANINGS[path] ?? '') : [...new Set(texts)].join(' ');
  const [, statedDefault] = /(?:^|\s)Default: (.*?)(?:\.(?=\s|$)|$)/s.exec(text) ?? [];
  const meaning = text.replace(/(?:^|\s)Default: .*?(?:\.(?=\s|$)|$)/s, '').trim();
  const value = members.find((node) => 'default' in node)?.default;
  const isEmpty = value === undefined || JSON.stringify(value).length === 2;
  return { meaning, otherwise: required ? 'required' : (statedDefault ?? (isEmpty ? '' : String(value))) };
}

type SchemaNode = Readonly<Record<string, unknown>>;

function toNode(value: unknown): SchemaNode {
  return isRecord(value) ? value : {};
}

/** Patterns with a common name. */
const PATTERNS: Readonly<Record<string, string>> = {
  '^(\\/([^~/]|~[01])*)*$': 'JSON pointer',
  '^[a-z][a-z0-9_]{0,63}$': 'name of a tool',
  '^[a-zA-Z0-9_.-]{1,64}$': 'name of an argument',
  "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$": 'name of a header or cookie',
};

/** `list of texts`, `integer from 1 to 100`, `brief or none`. */
function toTypeWords(members: readonly SchemaNode[], root: SchemaNode): string {
  return [...new Set(members.flatMap((member) => wordsOf(member, root)))].join(' or ');
}

function wordsOf(node: SchemaNode, root: SchemaNode): readonly string[] {
  if (typeof node.$ref === 'string')
    return wordsOf(toNode(toNode(root.definitions)[node.$ref.split('/').at(-1) ?? '']), root);
  const branches = [node.anyOf, node.oneOf, node.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (branches.length > 0) return branches.flatMap((part) => wordsOf(toNode(part), root));
  if (Array.isArray(node.enum)) return node.enum.map(String);
  if ('const' in node) return [String(node.const)];
  switch (node.type) {
    case 'string':
      return [textWords(node)];
    case 'integer':
    case 'number':
      return [`${node.type}${rangeWords(node)}`];
    case 'array':
      return [`list of ${[...new Set(wordsOf(toNode(node.items), root))].join(' or ')}`];
    case 'object':
      return [
        isRecord(node.additionalProperties)
          ? `map of ${[...new Set(wordsOf(node.additionalProperties, root))].join(' or ')}`
          : 'object',
      ];
    default:
      return [node.type === undefined ? 'anything' : String(node.type)];
  }
}

function textWords({ format, pattern }: SchemaNode): string {
  if (format === 'date') return 'date';
  if (format === 'uri') return 'https URL';
  return PATTERNS[String(pattern)] ?? 'text';
}

function rangeWords({ minimum, maximum, exclusiveMinimum }: SchemaNode): string {
  const low = typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : minimum;
  if (low !== undefined && maximum !== undefined) return ` from ${low} to ${maximum}`;
  return low === undefined ? '' : ` from ${low} on`;
}
