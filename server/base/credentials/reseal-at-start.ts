/** Seals credentials of an older format again when a gateway starts, while it serves requests. */

import type { Executor } from '../store/schema.ts';
import type { CredentialVault } from './index.ts';
import { resealUnbound } from './rotate-keys.ts';

interface ResealingOptions {
  readonly db: Executor;
  readonly vault: CredentialVault;
  /** Called when any credential was sealed again. */
  readonly onResealed: (count: number) => void;
  /** Called with why it failed; the next start continues. */
  readonly onError: (error: unknown) => void;
}

/** Starts the work. @returns a function that stops it after the current batch. */
export function startResealing({ db, vault, onResealed, onError }: ResealingOptions): () => Promise<void> {
  const stopping = new AbortController();
  const work = resealUnbound(db, vault, stopping.signal).then(({ resealed }) => {
    if (resealed > 0) onResealed(resealed);
  }, onError);
  return () => {
    stopping.abort();
    return work;
  };
}
