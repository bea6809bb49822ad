/** Every text of a tool that a model reads, and the new texts of a service: someone reads each of them first. */

import { createHash } from 'node:crypto';
import { canonicalJson } from '../json.ts';
import { wordSet } from '../word-set.ts';
import type { NewTexts, ServiceSurface, ToolSurface } from './types.ts';

/** One text with its place. */
interface Text {
  /** `description`, `input.limit#pattern`. */
  readonly place: string;
  readonly pointer: readonly (string | number)[];
  readonly text: string;
}

/**
 * Keywords whose strings are names or types that codegen writes. Patterns, values, defaults and examples count as
 * texts.
 */
const WORDLESS = wordSet('$ref $schema $id type format required');
const NAMING = new Set(['properties', '$defs', 'patternProperties', 'dependentSchemas']);

/** Every string of a tool that a model may read: not only descriptions can carry a message. */
export function textsOf(tool: ToolSurface): Text[] {
  const texts: Text[] = [
    { place: 'title', pointer: ['title'], text: tool.title },
    { place: 'description', pointer: ['description'], text: tool.description },
  ];
  collect(tool.inputSchema, 'input', ['inputSchema'], texts);
  collect(tool.outputSchema, 'output', ['outputSchema'], texts);
  return texts;
}

function collect(value: unknown, place: string, pointer: readonly (string | number)[], texts: Text[]): void {
  if (typeof value === 'string') {
    texts.push({ place, pointer, text: value });
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect(item, place, [...pointer, index], texts);
  } else if (typeof value === 'object' && value !== null) {
    for (const [keyword, inner] of Object.entries(value)) {
      const next = [...pointer, keyword];
      if (NAMING.has(keyword) && typeof inner === 'object' && inner !== null) {
        for (const [name, schema] of Object.entries(inner)) {
          texts.push({ place: `${place}.${name}`, pointer: [...next, name], text: name });
          collect(schema, `${place}.${name}`, [...next, name], texts);
        }
      } else if (!WORDLESS.has(keyword)) {
        const isSchema = typeof inner === 'object' && !Array.isArray(inner);
        collect(inner, isSchema ? place : `${place}#${keyword}`, next, texts);
      }
    }
  }
}

/**
 * The texts of a service that no tool of it had before, whatever its line breaks were.
 *
 * Leaves out texts of hand-written tools, which the project wrote.
 *
 * @param before Null for a new service.
 * @param own Texts that the project wrote, not the upstream.
 */
export function findNewTexts(before: ServiceSurface | null, after: ServiceSurface, own: ReadonlySet<string>): NewTexts {
  const familiar = new Set([...(before?.tools ?? []).flatMap(textsOf).map(({ text }) => onOneLine(text)), ...own]);
  const texts = new Map<string, NewTexts['texts'][number]>();
  for (const tool of after.tools.filter(({ operation }) => operation !== null)) {
    for (const { text, place } of textsOf(tool))
      if (![text, onOneLine(text)].some((known) => familiar.has(known)) && !texts.has(text))
        texts.set(text, { tool: tool.name, place, text });
  }
  return { service: after.service, fingerprint: fingerprintOfTexts(after.service, texts), texts: [...texts.values()] };
}

/** With plain spaces alone: other space characters can hide a message. */
function onOneLine(text: string): string {
  return text.replaceAll(/[ \t\r\n]+/g, ' ').trim();
}

/** Returns 32 hexadecimal digits of SHA-256, which is enough that other texts with the same digest cannot be found. */
function fingerprintOfTexts(service: string, texts: ReadonlyMap<string, unknown>): string {
  return createHash('sha256')
    .update(canonicalJson([service, [...texts.keys()].sort()]))
    .digest('hex')
    .slice(0, 32);
}

/** `GET /documents/{document_id}`, or the tools that a hand-written one uses. */
export function callOf({ operation, members }: ToolSurface): string {
  if (operation !== null) return `${operation.method} ${operation.path}`;
  return `hand-written over ${Array.isArray(members.uses) ? members.uses.join(', ') : 'others'}`;
}
