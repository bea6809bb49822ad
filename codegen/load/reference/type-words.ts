/** Describes the type of a value in words. */

import { isRecord } from '../../json.ts';

export type SchemaNode = Readonly<Record<string, unknown>>;

export function toNode(value: unknown): SchemaNode {
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
export function toTypeWords(members: readonly SchemaNode[], root: SchemaNode): string {
  return [...new Set(members.flatMap((member) => wordsOf(member, root)))].join(' or ');
}

function wordsOf(node: SchemaNode, root: SchemaNode): readonly string[] {
  if (typeof node.$ref === 'string')
    return wordsOf(toNode(toNode(root.definitions)[node.$ref.split('/').at(-1) ?? '']), root);
  const parts = [node.anyOf, node.oneOf, node.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (parts.length > 0) return parts.flatMap((part) => wordsOf(toNode(part), root));
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
