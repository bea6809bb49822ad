/** Shows a waiting developer the progress of codegen: one changing line on a terminal, an occasional line elsewhere. */

import type { Stage } from './generate.ts';

interface ProgressOptions {
  readonly write: (text: string) => void;
  /** True if a line can be overwritten. */
  readonly isTerminal: boolean;
  /** Milliseconds of work on a service before anything is printed. */
  readonly quietMs: number;
  /** Minimum milliseconds between two lines about the same step. */
  readonly intervalMs: number;
  /** Milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
}

interface ProgressPrinter {
  stage(service: string, stage: Stage): void;
  /** `next` is the current step within a stage, such as `600 of 1223 tools`. */
  step(service: string, stage: Stage, next: string): void;
  /** Removes the progress line from a terminal. */
  end(): void;
}

/** Moves to the start of the line and clears it (ECMA-48, CR and EL). */
const CLEAR_LINE = '\r\x1b[2K';

export function createProgressPrinter(options: ProgressOptions): ProgressPrinter {
  const { write, isTerminal, quietMs, intervalMs, now = () => performance.now() } = options;
  let current = '';
  let since = 0;
  let last = 0;
  let lastKind = '';
  let isShown = false;
  const print = (text: string): void => {
    last = now();
    isShown = true;
    write(isTerminal ? CLEAR_LINE + text : `${text}\n`);
  };
  return {
    stage(service, stage) {
      if (service !== current) since = now();
      current = service;
      if (now() - since > quietMs) print(`${service}: ${stage} ...`);
      else last = since;
    },
    step(service, stage, next) {
      const kind = next.replaceAll(/\d+/g, '');
      const isOther = isTerminal && kind !== lastKind;
      lastKind = kind;
      if (now() - since <= quietMs || (now() - last < intervalMs && !isOther)) return;
      print(`${service}: ${stage} ${next} ...`);
    },
    end() {
      if (isTerminal && isShown) write(CLEAR_LINE);
      isShown = false;
    },
  };
}
