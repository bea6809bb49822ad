/** Values of an emitted call: arguments, constants, and objects made of them. */

import type { Binding, EntryExpression, ValueExpression } from '../tools/types.ts';
import { block, jsonLiteral, memberAccess, propertyKey, stringLiteral } from './literal.ts';

/**
 * `{ wire_name: args.name, ... }`.
 *
 * @param wrap writes a value that is more than itself, given its type; null: it is not.
 */
export function bindings(
  list: readonly Binding[],
  typeOf: (wireName: string) => string,
  optional: ReadonlySet<string>,
  wrap: (wireName: string, value: ValueExpression, type: string) => string | null = () => null,
): string {
  const entries = list.map(({ wireName, value }) => {
    const written = wrap(wireName, value, typeOf(wireName));
    return `${propertyKey(wireName)}: ${written ?? valueExpression(value, () => typeOf(wireName), optional)}`;
  });
  return block('{', entries, '}');
}

/** A value whose name is not an argument's is typed here, because no argument type would notice that it is gone. */
export function valueExpression(value: ValueExpression, typeOf: () => string, optional: ReadonlySet<string>): string {
  if (value.kind === 'argument') return argumentAccess(value.name, optional);
  if (value.kind === 'constant') return `${jsonLiteral(value.value)} satisfies ${typeOf()}`;
  const entries = value.entries.map((one) => entry(one, optional));
  return `${block('{', entries, '}')} as ${typeOf()}`;
}

/** The value without its type, for a function that takes it. */
export function plainValue(value: ValueExpression, optional: ReadonlySet<string>): string {
  if (value.kind === 'argument') return argumentAccess(value.name, optional);
  if (value.kind === 'constant') return jsonLiteral(value.value);
  return block(
    '{',
    value.entries.map((one) => entry(one, optional)),
    '}',
  );
}

/** `constructor` and its like are members of every object, also where the argument was left out. */
function argumentAccess(name: string, optional: ReadonlySet<string>): string {
  const access = memberAccess('args', name);
  if (!optional.has(name) || !(name in Object.prototype)) return access;
  return `Object.hasOwn(args, ${stringLiteral(name)}) ? ${access} : undefined`;
}

/** An entry whose key is an argument that was left out has no value, and so is not sent. */
function entry({ key, value }: EntryExpression, optional: ReadonlySet<string>): string {
  const sent = value.kind === 'constant' ? jsonLiteral(value.value) : valueExpression(value, () => 'unknown', optional);
  if ('constant' in key) return `${propertyKey(key.constant)}: ${sent}`;
  const name = memberAccess('args', key.argument);
  return optional.has(key.argument)
    ? `[${name} ?? '']: ${name} === undefined ? undefined : ${sent}`
    : `[${name}]: ${sent}`;
}
