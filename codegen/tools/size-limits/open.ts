/** Writes an input schema part by part while it fits, and leaves its deepest parts open. */

import { byCodeUnit, charsOf, isRecord } from '../../json.ts';
import type { Schema } from '../../model/types.ts';
import { loosenChoices } from '../schema/loosen.ts';
import { requiredOf } from '../schema/readers.ts';
import { definitionOf, definitionsOf, mapChildren, namesIn, type Step } from '../schema/walk.ts';
import { toStub } from './stub.ts';

/** A longer list of values can be left out, in characters of JSON. */
const LONG_ENUM_CHARS = 600;
/** A shorter object without references is written together with its parent. */
const SMALL_CHARS = 160;

export interface OpenedSchema {
  readonly schema: Schema;
  /** Parts that were left open, such as `order.items[].discounts`, in the order of discovery. */
  readonly open: readonly string[];
}

/** A part of the schema that can be left open. */
interface Part {
  /** The name of its definition, otherwise the JSON pointer to it. */
  readonly key: string;
  /** The path to it in a value, such as `order.items[]`. */
  readonly path: string;
  readonly isRequired: boolean;
  /** Number of objects around it. */
  readonly level: number;
  /** Of the part, in characters of JSON. */
  readonly chars: number;
}

interface Draft {
  readonly schema: Schema;
  readonly open: readonly Part[];
  /** The schemas in place of the open parts. */
  readonly stubs: ReadonlySet<unknown>;
}

/**
 * The same schema, with its deepest parts left open if the whole does not fit.
 *
 * The arguments are always included. Then parts are written one by one, while the result fits: the outermost first, of these the required
 * ones, then from the smallest to the largest, then by name. A part that stays open is a stub (`toStub`). The result accepts every value
 * that the schema accepts.
 *
 * @param uncut Arguments that are written in full.
 */
export function openDeepest(root: Schema, uncut: ReadonlySet<string>, fits: (schema: Schema) => boolean): OpenedSchema {
  const writtenKeys = new Set<string>();
  const triedKeys = new Set<string>();
  let draft = writeDraft(root, uncut, writtenKeys);
  for (;;) {
    const [part] = draft.open.filter(({ key }) => !triedKeys.has(key)).sort(comparePriority);
    if (part === undefined) break;
    triedKeys.add(part.key);
    const nextDraft = writeDraft(root, uncut, new Set([...writtenKeys, part.key]));
    if (!fits(nextDraft.schema)) continue;
    writtenKeys.add(part.key);
    draft = nextDraft;
  }
  loosenChoices(draft.schema, draft.stubs);
  return { schema: draft.schema, open: draft.open.map(({ path }) => path) };
}

function comparePriority(a: Part, b: Part): number {
  return (
    a.level - b.level || Number(b.isRequired) - Number(a.isRequired) || a.chars - b.chars || byCodeUnit(a.path, b.path)
  );
}

/** The schema with the parts that have these keys, and stubs for all others. */
function writeDraft(root: Schema, uncut: ReadonlySet<string>, writtenKeys: ReadonlySet<string>): Draft {
  const definitions = definitionsOf(root);
  const writtenDefinitions = new Map<string, Schema>();
  const open: Part[] = [];
  const stubs = new Set<unknown>();

  const write = (schema: Schema, part: Part): Schema => {
    const name = definitionOf(schema);
    if (name === null && !canBeOpen(schema)) return writeKeywords(schema, part);
    const key = name ?? part.key;
    if (!writtenKeys.has(key)) {
      open.push({ ...part, key, chars: charsOf(definitions.get(name ?? '') ?? schema) });
      const stub = toStub(schema, definitions);
      stubs.add(stub);
      return stub;
    }
    if (name === null) return writeKeywords(schema, part);
    if (!writtenDefinitions.has(name)) {
      const definition = definitions.get(name) ?? {};
      writtenDefinitions.set(name, {});
      writtenDefinitions.set(
        name,
        (definitionOf(definition) === null ? writeKeywords : write)(definition, { ...part, key }),
      );
    }
    return schema;
  };
  const writeKeywords = (schema: Schema, { key, path, isRequired, level }: Part): Schema => {
    const required = requiredOf(schema);
    return mapChildren(schema, (child, step) =>
      write(child, {
        key: `${key}/${step.join('/')}`,
        path: path + toPath(step),
        isRequired: isRequired && (step[0] !== 'properties' || required.includes(step[1] ?? '')),
        level: level + (isRecord(schema.properties) ? 1 : 0),
        chars: 0,
      }),
    );
  };

  const { $defs: _, ...frame } = root;
  const required = requiredOf(root);
  const schema: Record<string, unknown> = mapChildren(frame, (argument, [, name = '']) => {
    if (uncut.has(name) && namesIn(argument).length === 0) return argument;
    return write(argument, { key: `/${name}`, path: name, isRequired: required.includes(name), level: 1, chars: 0 });
  });
  if (writtenDefinitions.size > 0) {
    schema.$defs = Object.fromEntries([...writtenDefinitions].sort(([a], [b]) => byCodeUnit(a, b)));
  }
  return { schema, open, stubs };
}

function canBeOpen(schema: Schema): boolean {
  if (Array.isArray(schema.enum) && charsOf(schema.enum) > LONG_ENUM_CHARS) return true;
  const { properties, patternProperties, additionalProperties } = schema;
  if (![properties, patternProperties, additionalProperties].some(isRecord)) return false;
  return charsOf(schema) > SMALL_CHARS || namesIn(schema).length > 0;
}

/** `order.items[].price` names the parts in the terms of a value; alternatives add nothing. */
function toPath([keyword, key]: Step): string {
  if (keyword === 'properties') return `.${key}`;
  if (keyword === 'items' || keyword === 'prefixItems') return '[]';
  return keyword === 'additionalProperties' || keyword === 'patternProperties' ? '{}' : '';
}
