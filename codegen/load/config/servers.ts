/** The keys of `connector.yaml` about a variable in the URL of a server. */

import { z } from 'zod';
import { text } from '../config-values.ts';
import { checkServerVariable } from '../connector-rules.ts';

export const serverVariable = z
  .strictObject({
    env: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]*$/, 'must be upper-case letters, digits and _, a letter first')
      .optional()
      .describe(
        'The environment variable that replaces the value. Default: the name in upper case, after the service.',
      ),
    default: text.optional().describe("Replaces the descriptor's default; needed where its server URL is relative."),
    derive: z
      .strictObject({
        from: text.describe('Another server variable.'),
        removeSuffix: text.describe('What is cut off its end, such as /api/v3.'),
      })
      .optional()
      .describe("Makes the value from another variable's, unless `env` is set."),
    ask: z
      .strictObject({
        label: text.describe('What the connect page calls it, such as Workspace.'),
        pattern: text
          .optional()
          .describe(
            'A regular expression (ECMA-262, u flag) that the whole value must match. Default: one label of a host, or one segment of a path; needed where the variable is the whole host.',
          ),
        help: text.optional().describe('Plain text for the connect page: where a user finds it.'),
      })
      .optional()
      .describe('Each connection has its own value: the user gives it when connecting, or the partner for the user.'),
  })
  .superRefine(checkServerVariable);
