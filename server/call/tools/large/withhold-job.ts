/** A job of a thread: takes the members that never leave out of a large answer. */

import { parseRawNumbers } from '../../../../shared/exact-json.ts';
import type { Connector, Tool } from '../../../contract/index.ts';
import type { Arguments } from '../../upstream/index.ts';
import type { ExplainedError } from '../results/errors.ts';
import { withhold } from '../results/withheld.ts';
import { type CopiedAnswer, copyAnswer, openAnswer } from './copied-answer.ts';

export interface WithholdInput {
  /** Without its tools. */
  readonly connector: Connector;
  readonly tool: Tool;
  /** JSON of the arguments. */
  readonly argsJson: string;
  readonly answer: CopiedAnswer;
}

export type WithholdOutput = { readonly answer: CopiedAnswer } | { readonly explained: ExplainedError };

/** Runs the job; see `RunJob`. */
export async function run({ connector, tool, argsJson, answer }: WithholdInput): Promise<WithholdOutput> {
  const args = parseRawNumbers(argsJson) as Arguments;
  const open = withhold({ connector, tool, args }, openAnswer(answer));
  return 'error' in open ? { explained: open } : { answer: copyAnswer(open, { connector, tool }) };
}
