/** Codegen as functions: generates tools from descriptors in memory, and writes the files that differ. */

import type { Diagnostic } from './diagnostics.ts';
import type { EmittedFile } from './emit/index.ts';
import { generate as generateWhole } from './generate.ts';

export type { Diagnostic } from './diagnostics.ts';
export type { EmittedFile } from './emit/index.ts';
export { type Change, compareGenerated, listGenerated, writeChanges } from './write.ts';

export interface Generated {
  /** Every file of the services without an error, and `generated/index.ts`; empty if no service is left. */
  readonly files: readonly EmittedFile[];
  /** Sorted by file, line, pointer and code. */
  readonly diagnostics: readonly Diagnostic[];
  /** Services with an error, which have no files. */
  readonly failed: readonly string[];
}

/**
 * Generates in memory.
 *
 * @param root folder that holds `specs/` and `generated/`.
 * @param services names of folders in `specs/`. Default: all.
 */
export async function generate(root: string, services?: readonly string[]): Promise<Generated> {
  const result = await generateWhole({ root, services });
  const failed = result.services.filter((service) => service.files.length === 0).map(({ name }) => name);
  return { files: result.files, diagnostics: result.diagnostics, failed };
}
