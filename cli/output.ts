/** Where the commands print to. */

export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** True where `err` leads to a terminal, on which a line can be written over. Default: false. */
  readonly isTerminal?: boolean;
  /** True where `out` leads to a terminal that shows colours. Default: false. */
  readonly hasColors?: boolean;
}

/** This process. Colours need a terminal, and are off where NO_COLOR is set. */
export const PROCESS_OUTPUT: Output = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
  hasColors: process.stdout.isTTY && process.stdout.hasColors(),
};

/** Ends this process without a word once the reader of its output is gone, as `head` is when it has seen enough. */
export function endWithReader(): void {
  if (process.stdout.listenerCount('error') > 0) return;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
