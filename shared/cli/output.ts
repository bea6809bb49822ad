/** The two streams that the commands print to. */

export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** True if `err` is a terminal, on which a line can be overwritten. Default: false. */
  readonly isTerminal?: boolean;
  /** True if `out` is a terminal that shows colours. Default: false. */
  readonly hasColors?: boolean;
}

/** This process. Colours need a terminal, and are off if NO_COLOR is set. */
export const PROCESS_OUTPUT: Output = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
  hasColors: process.stdout.isTTY && process.stdout.hasColors(),
};

/** Ends this process silently when the reader of its output exits, as `head` does. */
export function endWithReader(): void {
  if (process.stdout.listenerCount('error') > 0) return;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
