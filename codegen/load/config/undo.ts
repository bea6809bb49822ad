/** `undo` in connector.yaml: what takes a call of a tool back. */

import { z } from 'zod';
import { argumentName, pointer, text, toolName } from '../config-values.ts';

const from = z.record(argumentName, z.union([pointer.min(1), argumentName]));

export const undo = z
  .strictObject({
    tool: toolName.describe(
      'A tool of the service. Where it is the tool itself, only what a call had given gets its value of before.',
    ),
    from: z
      .enum(['result', 'before'])
      .describe('Where the pointers of `arguments` lead: into the answer of the call, or into the state before it.'),
    arguments: from.describe(
      'By argument of that tool: an argument of this tool, or a JSON pointer. Those of its path say which thing it is about; a pointer gives the others their value of before.',
    ),
    read: z
      .strictObject({
        tool: toolName.describe('A tool that only reads the thing.'),
        arguments: from.describe(
          'By argument of that tool: an argument of this tool or, with `from: result`, a JSON pointer into the answer. Another value that `arguments` has for the same name counts when the thing is read again.',
        ),
      })
      .describe(
        'How the thing is read: before the call with `from: before`, and always before the call is taken back, which is refused if the thing changed meanwhile.',
      ),
    unchanged: z
      .record(pointer.min(1), z.union([argumentName, z.number(), z.boolean()]))
      .optional()
      .describe(
        'With `from: result`. By JSON pointer into what was read: the argument whose value it must still have (none, if it was not given), or a number, true or false.',
      ),
    applies: z
      .record(argumentName, z.union([z.literal('merge'), argumentName]))
      .optional()
      .describe(
        'With `from: before`. By argument that does not just replace what is stored: `merge` if its members are merged (null removes one), or the argument that says `add` or `remove`, and otherwise replaces.',
      ),
    lost: text.optional().describe('What stays different, in a sentence for users and models.'),
  })
  .refine(({ from, unchanged }) => unchanged === undefined || from === 'result', '`unchanged` needs `from: result`')
  .refine(({ from, applies }) => applies === undefined || from === 'before', '`applies` needs `from: before`');
