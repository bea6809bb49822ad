/** `wait` in connector.yaml: how the end of work is seen that a call only begins. */

import { z } from 'zod';
import { argumentName, pointer, text, toolName } from '../config-values.ts';

export const wait = z
  .strictObject({
    tool: toolName.describe('A tool of the service that only reads: its answer tells the state.'),
    arguments: z
      .record(argumentName, text)
      .optional()
      .describe(
        'By argument of that tool: a JSON pointer into the first answer, such as /id, or an argument of this tool. Default: from the address in the header Location (or Operation-Location), by the path of that tool.',
      ),
    state: pointer
      .optional()
      .describe('Where its answer has the state. Default: the work has ended when it answers another status than 202.'),
    until: z.array(text).min(1).optional().describe('The states in which the work has ended well.'),
    failed: z.array(text).min(1).optional().describe('The states in which it has failed.'),
  })
  .refine(({ state, until, failed }) => (state === undefined) === (until === undefined && failed === undefined), {
    error: '`state` needs `until`, and `until` and `failed` need `state`',
  });

export type WaitConfig = z.output<typeof wait>;
