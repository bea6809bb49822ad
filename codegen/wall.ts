/** A wall of time and memory around one service, so that one that is too large costs itself and no other. */

import { getHeapStatistics } from 'node:v8';

/** From the first operation to the last file, by the clock: ten times what 10,000 operations take. */
const MAX_MILLISECONDS = 600_000;
/** Of what this process may have; the rest is for the files of the other services. */
const MAX_HEAP_SHARE = 0.85;

/** One service needs more time or memory than any should. */
export class ServiceTooLargeError extends Error {
  override name = 'ServiceTooLargeError';
}

interface WallOptions {
  /** Milliseconds. Default: `performance.now`. */
  readonly now?: (() => number) | undefined;
  /** Part of the heap's limit that is in use, from 0 to 1. Default: what V8 says. */
  readonly heapShare?: (() => number) | undefined;
}

/**
 * Begins to count. What it returns is called before each step with where that is, such as `post /search (/paths/~1search/post)`.
 *
 * Steps are small, because each operation has bounds of its own.
 *
 * @throws {ServiceTooLargeError} from what it returns, with where the wall was met
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
