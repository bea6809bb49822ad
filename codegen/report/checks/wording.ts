/** Words: what a model reads of a tool, and what new words bring in. */

import type { Finding, ToolSurface } from '../types.ts';
import { findMarks, type Mark } from '../wording-marks.ts';

interface Text {
  readonly place: string;
  readonly pointer: readonly (string | number)[];
  readonly text: string;
}

/** Title and description. The texts of arguments and of the output are compared with their schemas. */
export function checkTexts(before: ToolSurface, after: ToolSurface): Finding[] {
  return (['title', 'description'] as const).flatMap((member): Finding[] => {
    if (before[member] === after[member]) return [];
    const rule = member === 'title' ? 'title-changed' : 'description-changed';
    return [{ rule, place: member, before: before[member], after: after[member], pointer: [member] }];
  });
}

/**
 * What the new words introduce: whatever stood in no text of this tool before.
 *
 * @param before Null for a tool that is new.
 * @param names Names of tools that the words should not bring up.
 */
export function checkIntroduced(before: ToolSurface | null, after: ToolSurface, names: ReadonlySet<string>): Finding[] {
  const old = before === null ? [] : textsOf(before);
  const oldTexts = new Set(old.map(({ text }) => text));
  const fresh = textsOf(after).filter(({ text }) => !oldTexts.has(text));
  if (fresh.length === 0) return [];
  const others = new Set([...names].filter((name) => name !== after.name));
  const told = new Set([...oldTexts].flatMap((text) => findMarks(text, others)).map(keyOf));
  return fresh.flatMap(({ place, pointer, text }): Finding[] => {
    const marks = new Map(findMarks(text, others).map((mark) => [keyOf(mark), mark]));
    return [...marks]
      .filter(([key]) => !told.has(key))
      .map(([key, { rule, found, group }]) => {
        told.add(key);
        return { rule, place, after: found, pointer, group };
      });
  });
}

function keyOf({ rule, found }: Mark): string {
  return `${rule} ${found}`;
}

/** Every string of a tool that a model may read: not only descriptions can carry a message. */
function textsOf(tool: ToolSurface): Text[] {
  const texts: Text[] = [
    { place: 'title', pointer: ['title'], text: tool.title },
    { place: 'description', pointer: ['description'], text: tool.description },
  ];
  collect(tool.inputSchema, 'input', ['inputSchema'], texts);
  collect(tool.outputSchema, 'output', ['outputSchema'], texts);
  return texts;
}

/** Keywords whose strings are patterns, names or types rather than words. */
const WORDLESS = new Set(['$ref', '$schema', '$id', 'type', 'format', 'pattern', 'required']);
const NAMING = new Set(['properties', '$defs', 'patternProperties', 'dependentSchemas']);

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
