/** The description of a variable in the help table and error messages. */

import type { z } from 'zod';

export interface VariableText {
  readonly meaning: string;
  readonly example: string;
  /** As text, if it is not a fixed value. */
  readonly default?: string;
  /** The value may come from the file that `NAME_FILE` names, and is never a flag. */
  readonly secret?: true;
}

/** Adds a description to a variable's schema. */
export function described<Schema extends z.ZodType>(schema: Schema, text: VariableText): Schema {
  return schema.meta({ ...text });
}
