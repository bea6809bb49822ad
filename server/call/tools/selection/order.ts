/** The argument `sort`: an order of items by their members, and the first items in it. */

import { compareRanks, type Rank, rankOf } from './compare.ts';
import { type Member, type MemberLookup, SelectionError, toMember, valuesAt } from './items.ts';

const MAX_KEYS = 3;

interface Key {
  readonly member: Member;
  readonly isDescending: boolean;
}

/** The ranks of an item, by the members of an order. */
export type Ranks = readonly (Rank | null)[];

/** An order of items. Items without a value come last in both directions. */
export class Order {
  readonly keys: readonly Key[];

  /** @param text members separated by commas; `-` before one, or ` desc` after it: descending. @throws {SelectionError} */
  constructor(text: string, lookup: MemberLookup) {
    const keyTexts = text.split(',').filter((keyText) => keyText.trim() !== '');
    if (keyTexts.length === 0 || keyTexts.length > MAX_KEYS) {
      throw new SelectionError('sort', `"sort" must name one to ${MAX_KEYS} members, such as "-createdAt".`);
    }
    this.keys = keyTexts.map((keyText) => {
      const [name = '', direction = ''] = keyText.trim().split(/[\s:]+/);
      const isDescending = /^desc/i.test(direction) || name.startsWith('-');
      return { member: toMember(lookup, name.replace(/^[-+]/, '')), isDescending };
    });
  }

  /** Negative: `a` comes first. @param a,b as `ranksOf` gives them. */
  compare(a: Ranks, b: Ranks): number {
    for (const [index, { isDescending }] of this.keys.entries()) {
      const rankA = a[index] ?? null;
      const rankB = b[index] ?? null;
      if (rankA === null && rankB === null) continue;
      if (rankA === null || rankB === null) return rankA === null ? 1 : -1;
      const order = compareRanks(rankA, rankB);
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  }

  ranksOf(item: unknown): Ranks {
    return this.keys.map((key) => firstRank(item, key));
  }
}

/** Returns the rank of the value that comes first, if an item has several. */
function firstRank(item: unknown, { member, isDescending }: Key): Rank | null {
  let first: Rank | null = null;
  for (const value of valuesAt(item, member.path)) {
    const rank = rankOf(value);
    const order = rank === null || first === null ? 0 : compareRanks(rank, first);
    if (rank !== null && (first === null || (isDescending ? order > 0 : order < 0))) first = rank;
  }
  return first;
}
