/** A limit of time and memory for each service, so that one that is too large does not stop the others. */

import { getHeapStatistics } from 'node:v8';

/** Wall-clock time from the first operation to the last file: ten times what 10,000 operations take. */
const MAX_MILLISECONDS = 600_000;
/** Share of this process's heap; the rest is for the files of the other services. */
const MAX_HEAP_SHARE = 0.85;

/** Thrown if one service needs more time or memory than any should. */
export class ServiceTooLargeError extends Error {
  override name = 'ServiceTooLargeError';
}

interface WallOptions {
  /** Milliseconds. Default: `performance.now`. */
  readonly now?: (() => number) | undefined;
  /** Used share of the heap's limit, from 0 to 1. Default: what V8 reports. */
  readonly heapShare?: (() => number) | undefined;
}

/**
 * Starts the clock. Call the returned function before each step with the step's place, such as `post /search
 * (/paths/~1search/post)`.
 * ¶ Steps are small, because each operation has its own limits.
 * ¶ @throws {ServiceTooLargeError} from the returned function, with the place at which the limit was reached
 */
export function createWall({
  now = () => performance.now(),
  heapShare = shareOfHeap,
}: WallOptions = {}): (where: string) => void {
  const started = now();
  return (where) => {
    const seconds = (now() - started) / 1000;
    if (seconds * 1000 > MAX_MILLISECONDS) {
      throw new ServiceTooLargeError(`It was not done after ${MAX_MILLISECONDS / 1000} s, at ${where}.`);
    }
    const share = heapShare();
    if (share > MAX_HEAP_SHARE) {
      const percent = Math.round(share * 100);
      throw new ServiceTooLargeError(
        `It needs too much memory: ${percent} % of what Node may have is used, at ${where}.`,
      );
    }
  };
}

function shareOfHeap(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used / limit;
}
