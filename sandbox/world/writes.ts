/** The effect of a write on a record: members are set, merged, added or removed, and its times follow. */

import { isObject, type JsonObject } from '../json.ts';

/** A checked request that writes. */
interface Write {
  readonly query: JsonObject;
  readonly body: unknown;
  /** The example of its answer. */
  readonly example: unknown;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The record after the request. A member that the list does not have goes into the object that has it in the example, or is kept as `$name`. */
export function changeRecord(record: JsonObject, write: Write): JsonObject {
  const next: JsonObject = { ...record };
  const exampleMembers = isObject(write.example) ? write.example : {};
  for (const [name, value] of Object.entries(isObject(write.body) ? write.body : {})) {
    const holder = Object.keys(record).find(
      (key) => isObject(exampleMembers[key]) && Object.hasOwn(exampleMembers[key], name),
    );
    if (Object.hasOwn(record, name) || Object.hasOwn(exampleMembers, name)) {
      next[name] = applyOp(record[name], value, write.query[`${name}_op`]);
    } else if (holder === undefined) next[`$${name}`] = value;
    else next[holder] = { ...(isObject(next[holder]) ? next[holder] : {}), [name]: value };
  }
  return stamp(next, /updat/, write.now);
}

/** The record with another value of one of its objects, which the request names by its path. @param dropsNull a null removes a member. */
export function changePart(record: JsonObject, part: string, write: Write, dropsNull: boolean): JsonObject {
  const body = isObject(write.body) ? write.body : {};
  const values = isObject(body[part]) ? body[part] : body;
  const merged = Object.entries({ ...(record[part] as JsonObject), ...values });
  const next = Object.fromEntries(merged.filter(([, value]) => !dropsNull || value !== null));
  return stamp({ ...record, [part]: next }, /updat/, write.now);
}

/** Changes an array: `add` and `remove` tell items apart by their `name`, or else by their value. */
function applyOp(before: unknown, value: unknown, op: unknown): unknown {
  if (!Array.isArray(before) || !Array.isArray(value) || (op !== 'add' && op !== 'remove')) return value;
  const keyOfItem = (item: unknown): unknown => (isObject(item) ? item.name : item);
  const changedKeys = new Set(value.map(keyOfItem));
  const otherItems = before.filter((item) => !changedKeys.has(keyOfItem(item)));
  return op === 'add' ? [...otherItems, ...value] : otherItems;
}

/** A new record: without content, but for what the answer to its creation shows by example, such as its first status. */
export function startRecord(blank: JsonObject, { example, now }: Write): JsonObject {
  const exampleEntries = Object.entries(isObject(example) ? example : {});
  const initialEntries = exampleEntries.filter(
    ([name, value]) => name !== 'id' && Object.hasOwn(blank, name) && typeof value !== 'object',
  );
  return stamp({ ...blank, ...Object.fromEntries(initialEntries) }, /creat|updat/, now);
}

function stamp(record: JsonObject, names: RegExp, now: number): JsonObject {
  const entries = Object.entries(record).map(([name, value]) => {
    if (!names.test(name) || value === null) return [name, value];
    return [name, typeof value === 'number' ? Math.floor(now / 1000) : new Date(now).toISOString()];
  });
  return Object.fromEntries(entries);
}
