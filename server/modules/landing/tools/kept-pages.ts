/** A cache of rendered pages. */

import type { PublicText } from '../../../base/pages/etag.ts';

const MAX_CHARACTERS = 8 * 1024 * 1024;

/** Returns the page of an address, or builds it. The least recently used pages are dropped. */
export type KeptPages = (address: string, build: () => PublicText) => PublicText;

/** @param maxCharacters of all cached pages. Default: 8 Mi. */
export function createKeptPages(maxCharacters = MAX_CHARACTERS): KeptPages {
  const kept = new Map<string, PublicText>();
  let characters = 0;
  return (address, build) => {
    const found = kept.get(address);
    const page = found ?? build();
    if (found === undefined) characters += page.text.length;
    kept.delete(address);
    kept.set(address, page);
    for (const [oldest, { text }] of kept) {
      if (characters <= maxCharacters || kept.size === 1) break;
      kept.delete(oldest);
      characters -= text.length;
    }
    return page;
  };
}
