/** Schemas of values that occur in several places of `connector.yaml`. */

import { z } from 'zod';
import { isFinderToolName } from '../../shared/search/tool-names.ts';

export const text = z.string().trim().min(1);
export const pointer = z
  .string()
  .regex(/^(\/([^~/]|~[01])*)*$/, 'must be an RFC 6901 JSON pointer such as /pagination/next_cursor');
export const argumentName = z.string().regex(/^[a-zA-Z0-9_.-]{1,64}$/, 'must be 1 to 64 letters, digits, _, . and -');
export const toolName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be 1 to 64 lower-case letters, digits and _, a letter first')
  .refine((name) => !isFinderToolName(name), 'is the name of a tool of the gateway itself');
export const httpsUrl = z.url({ protocol: /^https$/, error: 'must be an https URL' });
/** RFC 6749 §3.3, without the comma and space that separate several. */
export const scope = z.string().regex(/^[!#-+\--[\]-~]+$/, 'must be one scope, without spaces, commas, quotes and \\');
