/** What the help table and error messages say of a variable. */

import type { z } from 'zod';

/** Description of a variable. */
export interface VariableText {
  readonly meaning: string;
  readonly example: string;
  /** As text, where it is not a fixed value. */
  readonly default?: string;
  /** It may come from the file that the variable `NAME_FILE` names, and is never a flag. */
  readonly secret?: true;
}

/** A schema of a variable, with its description. */
export function described<Schema extends z.ZodType>(schema: Schema, text: VariableText): Schema {
  return schema.meta({ ...text });
}
