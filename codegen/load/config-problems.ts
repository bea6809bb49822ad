/** Reports zod's issues about `connector.yaml` in the terms of the file: place, value, nearest valid key. */

import type { z } from 'zod';
import type { Problem } from '../diagnostics.ts';
import { member, toPointer } from '../json-pointer.ts';
import { nearest } from '../nearest.ts';
import { oauth2 } from './credential-config.ts';

const MAX_VALUE_CHARS = 60;

/** One problem for each issue, and one for each unknown key. `value` is what was validated with `schema`. */
export function toConfigProblems(error: z.ZodError, schema: z.core.$ZodType, value: unknown, file: string): Problem[] {
  return error.issues
    .flatMap((issue) => describe(issue, schema, value))
    .map(({ path, message }) => {
      return { code: 'config-invalid', file, pointer: toPointer(path.map(String)), message };
    });
}

/** Keys that earlier versions had, by their place, and what to do now. */
const REMOVED_KEYS = [
  {
    place: /^only$/,
    advice: 'Write what it holds under `expose`, with `listed: true` where that was `listed`.',
  },
  {
    place: new RegExp(`^credential\\..*(?:parts|also)\\.\\d+\\.(?:${Object.keys(oauth2.shape).join('|')})$`),
    advice: 'Settings of OAuth 2.0 are under credential.oauth2, by the id of the part.',
  },
  {
    place: /^credential\.extras\.\d+\.parts$/,
    advice: 'Name its security schemes under `schemes`. An overlay can add one to the descriptor.',
  },
  {
    place: /^(?:tools\.[^.]+\.)?listAnswers$/,
    advice: 'Clients that want output schemas use the catalogue mode full. Remove the key.',
  },
  {
    place: /^tools\.[^.]+\.common$/,
    advice: 'Lists describe the arguments under `arguments`: describe these there.',
  },
  {
    place: /^tools\.[^.]+\.optionalBody$/,
    advice: 'Take `required` out of the schema of the body with an overlay.',
  },
  { place: /^tools\.[^.]+\.undo$/, advice: 'The gateway no longer takes calls back. Remove the key.' },
];

interface ConfigIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function describe(issue: z.core.$ZodIssue, schema: z.core.$ZodType, value: unknown): ConfigIssue[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const validKeys = keysAt(schema, path);
    return issue.keys.map((key) => {
      const keyPath = [...path, key];
      const removedKey = REMOVED_KEYS.find(({ place }) => place.test(keyPath.join('.')));
      if (removedKey !== undefined)
        return { path: keyPath, message: `The key ${quote(key)} is gone. ${removedKey.advice}` };
      return {
        path: keyPath,
        message: `Unknown key ${quote(key)}.${adviceFor(key, validKeys, valueAt(value, keyPath))}`,
      };
    });
  }
  if (issue.code === 'invalid_union') {
    // The other alternatives only say that the value is of another type.
    const wrongType = typeof valueAt(value, path) === 'string' ? ['invalid_type'] : ['invalid_type', 'invalid_value'];
    const [matchingErrors, ...otherErrors] = issue.errors.filter(
      (errors) => !errors.some((inner) => inner.path.length === 0 && wrongType.includes(inner.code)),
    );
    if (matchingErrors !== undefined && otherErrors.length === 0) {
      return matchingErrors.flatMap((inner) => describe({ ...inner, path: [...path, ...inner.path] }, schema, value));
    }
  }
  const name = quote(nameOf(path));
  const message = issue.message.replace(/^Invalid input: |\.$/g, '');
  if (issue.code === 'invalid_key') {
    return [{ path, message: `The key ${name} ${issue.issues.map((inner) => inner.message).join('; ')}.` }];
  }
  const invalidValue = valueAt(value, path);
  if (invalidValue === undefined) return [{ path, message: `${name} is missing.` }];
  const text = quote(invalidValue);
  const isLong = issue.code === 'custom' || text.length > MAX_VALUE_CHARS;
  return [{ path, message: isLong ? `${name} ${message}.` : `${name} is ${text}: ${message}.` }];
}

/** YAML reads the text after an unquoted comma inside braces as a key without a value. */
function adviceFor(key: string, validKeys: readonly string[], value: unknown): string {
  if (key.includes(' ') && value === null) return ' Put quotes around a text with a comma.';
  const [near] = nearest(key, validKeys);
  return near === undefined ? '' : ` Did you mean ${quote(near)}?`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((node: unknown, token) => member(node, String(token)), value);
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
  let current = unwrap(schema);
  for (const token of path) {
    const { def } = current._zod as z.core.$ZodTypeInternals & { def: Partial<Container> };
    const next = def.shape?.[String(token)] ?? def.valueType ?? def.element;
    if (next === undefined) return [];
    current = unwrap(next);
  }
  const { options = [] } = current._zod.def as Partial<Container>;
  return [current, ...options].flatMap((option) => Object.keys((option._zod.def as Partial<Container>).shape ?? {}));
}

/** The members of zod's definitions that lead to nested schemas. */
interface Container {
  readonly shape: Readonly<Record<string, z.core.$ZodType>>;
  readonly valueType: z.core.$ZodType;
  readonly element: z.core.$ZodType;
  readonly innerType: z.core.$ZodType;
  readonly options: readonly z.core.$ZodType[];
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as Partial<Container>;
  return innerType === undefined ? schema : unwrap(innerType);
}
