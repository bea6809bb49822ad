/** Reads a page as the steps that its reader follows, so that a test can follow them too. */

import { blocksOf } from './documented-blocks.ts';

/** A shell block. */
export interface CommandStep {
  readonly kind: 'command';
  readonly command: string;
  /** The comment above the block: `not run: <reason>`, `fails: <reason>` or `runs until it is stopped`. */
  readonly remark: string;
  /** The output that the page shows. */
  readonly prints: string | undefined;
}

/** A block with a file after its language, or `>>` and a file. */
export interface FileStep {
  readonly kind: 'write' | 'append' | 'compare';
  readonly file: string;
  readonly text: string;
}

const FILE = /^(>> )?(\S+)$/;

/** The steps of a page in order. A `text` block without a file belongs to the command before it. */
export function stepsOf(document: string, markdown: string): (CommandStep | FileStep)[] {
  const steps: (CommandStep | FileStep)[] = [];
  for (const { comment: remark, language, info, text } of blocksOf(document, markdown)) {
    const [, append, file] = FILE.exec(info) ?? [];
    if (file !== undefined) steps.push({ kind: kindOf(language, append), file, text });
    else if (language === 'sh') steps.push({ kind: 'command', command: text, remark, prints: undefined });
    else if (language === 'text') steps.push({ ...commandBefore(steps.pop()), prints: text });
  }
  return steps;
}

function kindOf(language: string, append: string | undefined): FileStep['kind'] {
  if (language === 'text') return 'compare';
  return append === undefined ? 'write' : 'append';
}

function commandBefore(step: CommandStep | FileStep | undefined): CommandStep {
  if (step?.kind !== 'command') throw new Error('A text block follows no command.');
  return step;
}

/** Matches output that has a page's excerpt: `...` stands for anything, and durations differ. */
export function excerptPattern(text: string): RegExp {
  const parts = text.trimEnd().split('...');
  const escaped = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${escaped.join('[^]*?').replaceAll(/\d+\\\.\d s\b/g, String.raw`\d+\.\d s`)}`, 'm');
}
