/** Arguments as a URL, a header or a cookie carries them, once they are decoded: what the descriptor's `style` makes of them. */

import type { SandboxOperation, SandboxParameter } from '../../../sandbox/descriptor/operations.ts';
import type { JsonObject } from '../../../sandbox/json.ts';

/** Values by wire name; what has no form there is left out (RFC 6570 §2.3). */
export function asSent(place: SandboxParameter['in'], values: JsonObject, operation: SandboxOperation): JsonObject {
  const entries = Object.entries(values).flatMap(([name, value]) => {
    const parameter = operation.parameters.find((one) => one.in === place && one.name === name);
    const sent = parameter?.content === 'json' ? value : toText(value, parameter);
    return sent === undefined ? [] : [[name, sent]];
  });
  return Object.fromEntries(entries);
}

/** Text, or undefined for what is not sent. */
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

/** What is inside an array or object and is one itself is JSON, and so keeps its types. */
function elementToText(value: unknown): unknown {
  return typeof value === 'object' ? value : String(value);
}
