/** The provenance in `_meta` of a listed tool (MCP 2026-07-28 and 2025-11-25, Schema, `Tool._meta`). */

import manifest from '../../../../package.json' with { type: 'json' };
import type { ToolFace } from '../../../contract/index.ts';

const DESCRIPTOR = `${manifest.name}/descriptor`;
const DEFINITION = `${manifest.name}/definition`;

/** Hosts do not pass `_meta` to their models, so it costs no tokens. Null if the provenance is not known. */
export function metaOf({ provenance }: ToolFace): Readonly<Record<string, string>> | null {
  if (provenance === undefined) return null;
  const { descriptor, definition } = provenance;
  return {
    ...(descriptor === undefined ? {} : { [DESCRIPTOR]: `sha256:${descriptor}` }),
    [DEFINITION]: `sha256:${definition}`,
  };
}
