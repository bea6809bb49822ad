/** Tells a developer who waits how far codegen is: one line that changes on a terminal, a line now and then elsewhere. */

import type { Stage } from './generate.ts';

interface ProgressOptions {
  readonly write: (text: string) => void;
  /** True where a line can be written over. */
  readonly isTerminal: boolean;
  /** How long a service is worked on before anything is said, in milliseconds. */
  readonly quietMs: number;
  /** How much time passes at least between two lines about the same, in milliseconds. */
  readonly intervalMs: number;
  /** Milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
}

interface ProgressPrinter {
  stage(service: string, stage: Stage): void;
  /** Within a stage, `next` is what is worked on now, such as `600 of 1223 tools`. */
  step(service: string, stage: Stage, next: string): void;
  /** Takes away what should not stay on a terminal. */
  end(): void;
}

/** Back to the start of the line, which is then emptied (ECMA-48, CR and EL). */
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
