/** What `_meta` of a listed tool says of where it comes from (MCP 2026-07-28 and 2025-11-25, Schema, `Tool._meta`). */

import manifest from '../../../package.json' with { type: 'json' };
import type { ToolFace } from '../../contract/index.ts';

const DESCRIPTOR = `${manifest.name}/descriptor`;
const DEFINITION = `${manifest.name}/definition`;

/** Hosts keep `_meta` from their models, so it costs bytes and no tokens. Null where the provenance is not known. */
export function metaOf({ provenance }: ToolFace): Readonly<Record<string, string>> | null {
  if (provenance === undefined) return null;
  const { descriptor, definition } = provenance;
  return {
    ...(descriptor === undefined ? {} : { [DESCRIPTOR]: `sha256:${descriptor}` }),
    [DEFINITION]: `sha256:${definition}`,
  };
}
