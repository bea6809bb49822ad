/** Reports zod's issues about `connector.yaml` in the terms of the file: place, value, nearest valid key. */

import type { z } from 'zod';
import type { Problem } from '../diagnostics.ts';
import { member, toPointer } from '../json-pointer.ts';
import { nearest } from '../nearest.ts';

const MAX_VALUE_CHARS = 60;

/** One problem for each issue, and one for each unknown key. `value` is what was validated with `schema`. */
export function toConfigProblems(error: z.ZodError, schema: z.core.$ZodType, value: unknown, file: string): Problem[] {
  return error.issues
    .flatMap((issue) => describe(issue, schema, value))
    .map(({ path, message }) => {
      return { code: 'config-invalid', file, pointer: toPointer(path.map(String)), message };
    });
}

interface Said {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function describe(issue: z.core.$ZodIssue, schema: z.core.$ZodType, value: unknown): Said[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const validKeys = keysAt(schema, path);
    return issue.keys.map((key) => {
      const at = [...path, key];
      return { path: at, message: `Unknown key ${quote(key)}.${adviceFor(key, validKeys, valueAt(value, at))}` };
    });
  }
  const name = quote(nameOf(path));
  const message = issue.message.replace(/^Invalid input: |\.$/g, '');
  if (issue.code === 'invalid_key') {
    return [{ path, message: `The key ${name} ${issue.issues.map((inner) => inner.message).join('; ')}.` }];
  }
  const wrong = valueAt(value, path);
  if (wrong === undefined) return [{ path, message: `${name} is missing.` }];
  const text = quote(wrong);
  const isLong = issue.code === 'custom' || text.length > MAX_VALUE_CHARS;
  return [{ path, message: isLong ? `${name} ${message}.` : `${name} is ${text}: ${message}.` }];
}

/** YAML reads the text after an unquoted comma inside braces as a key without a value. */
function adviceFor(key: string, known: readonly string[], value: unknown): string {
  if (key.includes(' ') && value === null) return ' Put quotes around a text with a comma.';
  const [near] = nearest(key, known);
  return near === undefined ? '' : ` Did you mean ${quote(near)}?`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((at: unknown, token) => member(at, String(token)), value);
}

/** `maximum`, or `categories[1]` for an item. */
function nameOf(path: readonly PropertyKey[]): string {
  const start = Math.max(
    0,
    path.findLastIndex((token) => typeof token === 'string'),
  );
  return path
    .slice(start)
    .map((token, index) => (index === 0 ? String(token) : `[${String(token)}]`))
    .join('');
}

function quote(value: unknown): string {
  return JSON.stringify(value);
}

/** The keys that the schema allows for the object at a path; empty if the path leads to no object. */
function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  let at = unwrap(schema);
  for (const token of path) {
    const { def } = at._zod as z.core.$ZodTypeInternals & { def: Partial<Container> };
    const next = def.shape?.[String(token)] ?? def.valueType ?? def.element;
    if (next === undefined) return [];
    at = unwrap(next);
  }
  return Object.keys((at._zod.def as Partial<Container>).shape ?? {});
}

/** The members of zod's definitions that lead to nested schemas. */
interface Container {
  readonly shape: Readonly<Record<string, z.core.$ZodType>>;
  readonly valueType: z.core.$ZodType;
  readonly element: z.core.$ZodType;
  readonly innerType: z.core.$ZodType;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as Partial<Container>;
  return innerType === undefined ? schema : unwrap(innerType);
}
