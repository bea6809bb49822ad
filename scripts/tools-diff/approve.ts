/** Records which definitions a review approved, for gateways that serve nothing else (`REQUIRE_REVIEWED`). */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { z } from 'zod';
import { completeConnector } from '../../server/call/tools/catalogue/connectors.ts';
import { definitionsOf } from '../../server/call/tools/catalogue/provenance.ts';
import type { reviewedFile } from '../../server/call/tools/catalogue/reviewed.ts';
import type { GeneratedConnector } from '../../server/contract/index.ts';

/**
 * Writes the digests of every tool in `generated/`, by name, as the gateway computes them.
 *
 * @param root the folder that contains `generated/`.
 * @returns the number of tools.
 */
export async function writeApproval(root: string, file: string): Promise<number> {
  const address = pathToFileURL(path.join(root, 'generated/index.ts')).href;
  const { connectors } = (await import(address)) as { readonly connectors: readonly GeneratedConnector[] };
  const digests = connectors
    .flatMap((connector) => [...definitionsOf(completeConnector(connector))])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const approval: z.infer<typeof reviewedFile> = { tools: Object.fromEntries(digests) };
  await writeFile(file, `${JSON.stringify(approval, null, 2)}\n`);
  return digests.length;
}
