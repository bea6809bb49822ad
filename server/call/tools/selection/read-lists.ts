/** Lists that tools with `find` have read: kept in this process for a short time, each for one grant and one connection. */

import { createNearNames } from '../nearest.ts';

/** Milliseconds from the first request of a list. */
const TTL_MS = 120_000;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_LIST_BYTES = 8 * 1024 * 1024;
const MAX_OF_CONNECTION = 4;
/** Maximum of keys of one item. */
const MAX_KEYS = 20;
/** Longest key that counts as a name. */
const MAX_KEY_LENGTH = 100;
const BYTES_OF_ITEM = 200;
const BYTES_OF_CHARACTER = 2;
const MAX_NEAR = 3;
/** Keys that a key is compared with when no item has it. */
const MAX_NAMES = 5000;
/** Maximum of characters of the items with one key. It is more than any answer shows by default. */
const MAX_FOUND_CHARACTERS = 256 * 1024;

/** The text as it is compared. */
export function normalizeKey(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

/** The key that items are found by. */
export interface FindKey {
  /** Members of items, each alternative as the names that make it up together. */
  readonly by: readonly (readonly string[])[];
  readonly key: string;
}

/** Items of a list as texts, which are searched and copied at once, however many items there are. */
export class ItemTexts {
  /** For each key of each item a line: the key as it is compared, a tab, and where the JSON of the item begins. */
  keys = '\n';
  /** JSON of the items, each followed by a line break. */
  json = '';
  count = 0;
  /** Some of the different keys, as the service writes them. */
  names: string[] = [];
  /** Maximum of memory that the items take, in bytes. */
  bytes = 0;

  /** Copies what another thread has collected. */
  static from({ keys, json, count, names, bytes }: Readonly<ItemTexts>): ItemTexts {
    return Object.assign(new ItemTexts(), { keys, json, count, names, bytes });
  }

  add(keys: readonly string[], value: unknown): void {
    const searchableKeys = keys.slice(0, MAX_KEYS).filter((key) => key.length <= MAX_KEY_LENGTH);
    const start = this.json.length;
    const json = JSON.stringify(value);
    for (const key of new Set(searchableKeys.map(normalizeKey))) this.keys += `${key}\t${start}\n`;
    this.json += `${json}\n`;
    this.count += 1;
    if (this.names.length < MAX_NAMES) this.names.push(...searchableKeys);
    const characters = searchableKeys.reduce((sum, key) => sum + key.length, json.length);
    this.bytes += BYTES_OF_ITEM + BYTES_OF_CHARACTER * characters;
  }

  /** Returns the JSON of the items with a key, as many as `maxCharacters` characters hold. @param normalizedKey as `normalizeKey` writes it. */
  find(normalizedKey: string, maxCharacters: number): string[] {
    const jsonTexts: string[] = [];
    const line = `\n${normalizedKey}\t`;
    let remainingCharacters = maxCharacters;
    for (let at = this.keys.indexOf(line); at >= 0 && remainingCharacters > 0; at = this.keys.indexOf(line, at + 1)) {
      const from = at + line.length;
      const start = Number(this.keys.slice(from, this.keys.indexOf('\n', from)));
      const json = this.json.slice(start, this.json.indexOf('\n', start));
      jsonTexts.push(json);
      remainingCharacters -= json.length;
    }
    return jsonTexts;
  }
}

/** Items of a list in their order. It is only extended by the call that created it. */
export class ReadList {
  readonly connectionId: string;
  /** Milliseconds since 1970 of its first request. */
  readonly requestedAt: number;
  /** Those of the calls that read it, in their order; the last are this call's. */
  readonly #items: ItemTexts[];
  #near: ReturnType<typeof createNearNames> | undefined;
  /** A page of it without items, as JSON. */
  frame = '';
  /** Arguments of the following page. Null if the list is complete. */
  next: Readonly<Record<string, unknown>> | null = null;
  /** True if the connection has written since. */
  isStale = false;

  /** @param earlierList the first items. */
  constructor(connectionId: string, requestedAt: number, earlierList?: ReadList) {
    this.connectionId = connectionId;
    this.requestedAt = earlierList?.requestedAt ?? requestedAt;
    const earlierItems = earlierList === undefined ? [] : earlierList.#items;
    this.#items = [...earlierItems, new ItemTexts()];
  }

  get length(): number {
    return this.#items.reduce((sum, { count }) => sum + count, 0);
  }

  /** Maximum of memory that the list takes, in bytes. */
  get bytes(): number {
    return this.#items.reduce((sum, { bytes }) => sum + bytes, BYTES_OF_CHARACTER * this.frame.length);
  }

  get isTooLarge(): boolean {
    return this.bytes > MAX_LIST_BYTES;
  }

  add(keys: readonly string[], value: unknown): void {
    const currentItems = this.#items.at(-1);
    if (!this.isTooLarge) currentItems?.add(keys, value);
  }

  /** Replaces the items that this call has read by those that another thread has read. */
  replaceItems(items: Readonly<ItemTexts>): void {
    this.#items.splice(-1, 1, ItemTexts.from(items));
  }

  /** Ends the reading. @param frame a page without items. @param next see there. */
  close(frame: unknown, next: ReadList['next']): void {
    this.frame = JSON.stringify(frame);
    this.next = next;
  }

  /** JSON of an array of the items with the key: the first ones, if they are more than `MAX_FOUND_CHARACTERS`. */
  find(key: string): string | null {
    const normalizedKey = normalizeKey(key);
    let remainingCharacters = MAX_FOUND_CHARACTERS;
    const jsonTexts = this.#items.flatMap((items) => {
      const texts = items.find(normalizedKey, remainingCharacters);
      remainingCharacters -= texts.reduce((sum, { length }) => sum + length, 0);
      return texts;
    });
    return jsonTexts.length === 0 ? null : `[${jsonTexts.join(',')}]`;
  }

  /**
   * Returns the keys that are nearest to a key that no item has: those that contain it, then similar ones. It compares only the first names of
   * the list.
   */
  findNearestKeys(key: string): { readonly keys: readonly string[]; readonly containing: number } {
    const names = [...new Set(this.#items.flatMap((items) => items.names))].slice(0, MAX_NAMES);
    const text = key.trim().toLowerCase();
    const containing = text.length < 2 ? [] : names.filter((name) => name.toLowerCase().includes(text));
    this.#near ??= createNearNames(names);
    const keys = [...new Set([...containing.slice(0, MAX_NEAR), ...this.#near(key.trim(), () => true, MAX_NEAR)])];
    return { keys: keys.slice(0, MAX_NEAR), containing: containing.length };
  }
}

/** All lists of this process. */
export class ReadLists {
  readonly #lists = new Map<string, ReadList>();
  readonly #reading = new Set<ReadList>();

  find(id: string, now: number): ReadList | undefined {
    const list = this.#lists.get(id);
    return list !== undefined && now - list.requestedAt < TTL_MS ? list : undefined;
  }

  /** Begins to read a list. `end` follows in any case. */
  begin(list: ReadList): ReadList {
    this.#reading.add(list);
    return list;
  }

  /**
   * Keeps the list, unless it is too large or its connection has written meanwhile.
   *
   * @param id key of the list, or null if it must not be kept.
   */
  end(id: string | null, list: ReadList): boolean {
    this.#reading.delete(list);
    if (id === null || list.isTooLarge || list.isStale) return false;
    this.#lists.delete(id);
    const connectionLists = [...this.#lists].filter(([, otherList]) => otherList.connectionId === list.connectionId);
    for (const [oldestId] of connectionLists.slice(0, Math.max(0, connectionLists.length - MAX_OF_CONNECTION + 1)))
      this.#lists.delete(oldestId);
    this.#lists.set(id, list);
    let { bytes } = this;
    for (const [oldestId, oldestList] of this.#lists) {
      if (bytes <= MAX_BYTES) break;
      this.#lists.delete(oldestId);
      bytes -= oldestList.bytes;
    }
    setTimeout(() => this.#lists.get(id) === list && this.#lists.delete(id), TTL_MS).unref();
    return true;
  }

  /** Drops what was read before a connection wrote. */
  forget(connectionId: string | undefined): void {
    for (const list of this.#reading) if (list.connectionId === connectionId) list.isStale = true;
    for (const [id, list] of this.#lists) if (list.connectionId === connectionId) this.#lists.delete(id);
  }

  get bytes(): number {
    return [...this.#lists.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
