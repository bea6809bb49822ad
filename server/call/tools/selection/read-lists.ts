/** Lists that tools with `find` have read: kept in this process for a short time, each for one grant and one connection. */

import { createNearNames } from '../nearest.ts';

/** Milliseconds from the first request of a list. */
const TTL_MS = 120_000;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_LIST_BYTES = 8 * 1024 * 1024;
const MAX_OF_CONNECTION = 4;
/** Of one item. */
const MAX_KEYS = 20;
/** What is longer is no name. */
const MAX_KEY_LENGTH = 100;
const BYTES_OF_ITEM = 200;
const BYTES_OF_CHARACTER = 2;
const MAX_NEAR = 3;

/** The text as it is compared. */
export function normalizeKey(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

interface KeptItem {
  readonly keys: readonly string[];
  readonly json: string;
}

/** Items of a list in their order. It is only extended by the call that created it. */
export class ReadList {
  readonly connectionId: string;
  /** Milliseconds since 1970 of its first request. */
  readonly since: number;
  readonly #items: KeptItem[];
  /** A page of it without items, as JSON. */
  frame = '';
  /** Arguments of the page that follows; null: it is complete. */
  next: Readonly<Record<string, unknown>> | null = null;
  /** What it takes in memory at most. */
  bytes = 0;
  /** Whether the connection has written since. */
  isStale = false;

  /** @param from the first items. */
  constructor(connectionId: string, since: number, from?: ReadList) {
    this.connectionId = connectionId;
    this.since = from?.since ?? since;
    this.#items = from === undefined ? [] : [...from.#items];
    this.bytes = from?.bytes ?? 0;
  }

  get length(): number {
    return this.#items.length;
  }

  get isTooLarge(): boolean {
    return this.bytes > MAX_LIST_BYTES;
  }

  add(keys: readonly string[], value: unknown): void {
    if (this.isTooLarge) return;
    const own = keys.slice(0, MAX_KEYS).filter((one) => one.length <= MAX_KEY_LENGTH);
    const item = { keys: own, json: JSON.stringify(value) };
    const characters = own.reduce((sum, one) => sum + one.length, item.json.length);
    this.bytes += BYTES_OF_ITEM + BYTES_OF_CHARACTER * characters;
    this.#items.push(item);
  }

  /** Ends the reading. @param frame a page without items. @param next see there. */
  close(frame: unknown, next: ReadList['next']): void {
    this.frame = JSON.stringify(frame);
    this.next = next;
    this.bytes += BYTES_OF_CHARACTER * this.frame.length;
  }

  /** JSON of an array of the items with the key. */
  find(key: string): string | null {
    const wanted = normalizeKey(key);
    const found = this.#items.filter(({ keys }) => keys.some((one) => normalizeKey(one) === wanted));
    return found.length === 0 ? null : `[${found.map(({ json }) => json).join(',')}]`;
  }

  /** The keys that are nearest to one that no item has. */
  near(key: string): string[] {
    return createNearNames([...new Set(this.#items.flatMap(({ keys }) => keys))])(key.trim(), () => true, MAX_NEAR);
  }
}

/** All lists of this process. */
export class ReadLists {
  readonly #lists = new Map<string, ReadList>();
  readonly #reading = new Set<ReadList>();

  find(id: string, now: number): ReadList | undefined {
    const list = this.#lists.get(id);
    return list !== undefined && now - list.since < TTL_MS ? list : undefined;
  }

  /** Begins to read a list. `end` follows in any case. */
  begin(list: ReadList): ReadList {
    this.#reading.add(list);
    return list;
  }

  /** Keeps the list, unless it is too large or its connection has written meanwhile. @param id null: it is not kept. */
  end(id: string | null, list: ReadList): boolean {
    this.#reading.delete(list);
    if (id === null || list.isTooLarge || list.isStale) return false;
    this.#lists.delete(id);
    const own = [...this.#lists].filter(([, one]) => one.connectionId === list.connectionId);
    for (const [oldest] of own.slice(0, Math.max(0, own.length - MAX_OF_CONNECTION + 1))) this.#lists.delete(oldest);
    this.#lists.set(id, list);
    let { bytes } = this;
    for (const [oldest, one] of this.#lists) {
      if (bytes <= MAX_BYTES) break;
      this.#lists.delete(oldest);
      bytes -= one.bytes;
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
