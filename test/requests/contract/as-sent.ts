/** Arguments as the descriptor's `style` sends them in a URL, header or cookie, decoded again. */

import type { SandboxOperation, SandboxParameter } from '../../../sandbox/descriptor/operations.ts';
import type { JsonObject } from '../../../sandbox/json.ts';

/** Values by wire name, without those that the style cannot write (RFC 6570 §2.3). */
export function asSent(place: SandboxParameter['in'], values: JsonObject, operation: SandboxOperation): JsonObject {
  const entries = Object.entries(values).flatMap(([name, value]) => {
    const parameter = operation.parameters.find((one) => one.in === place && one.name === name);
    const sent = parameter?.content === 'json' ? value : toText(value, parameter);
    return sent === undefined ? [] : [[name, sent]];
  });
  return Object.fromEntries(entries);
}

/** Text, or undefined if nothing is sent. */
function toText(value: unknown, parameter: SandboxParameter | undefined): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) {
    const items = value.filter((item) => item !== null).map(elementToText);
    return items.length === 0 ? undefined : items;
  }
  const isDeep = parameter?.style === 'deepObject';
  const repeats = parameter?.in === 'query' && parameter.style === 'form' && parameter.explode;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const goesOn = isDeep || (repeats && Array.isArray(member)) || member === null;
    const sent = goesOn ? toText(member, parameter) : elementToText(member);
    return sent === undefined ? [] : [[name, sent]];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** Nested arrays and objects are JSON, and so keep their types. */
function elementToText(value: unknown): unknown {
  return typeof value === 'object' ? value : String(value);
}
