/** Closes what a test opens. */

import { afterEach } from 'vitest';

interface Closable {
  close(): unknown;
}

/** Returns a list whose parts are closed after each test, the last one first. */
export function closeAfterEach<Part extends Closable = Closable>(): Part[] {
  const open: Part[] = [];
  afterEach(async () => {
    for (const part of open.splice(0).reverse()) await part.close();
  });
  return open;
}
