/** Checks one hand-made tool against all client profiles, without a descriptor. */

import type { Problem } from '../../../../codegen/diagnostics.ts';
import type { Schema } from '../../../../codegen/model/types.ts';
import { createReporter } from '../../../../codegen/tools/problems.ts';
import { type CheckedTool, checkProfiles } from '../../../../codegen/tools/profiles/index.ts';
import type { ToolModel } from '../../../../codegen/tools/types.ts';
import { tool } from '../../emit/fixtures.ts';
import { config } from '../service.ts';

/** Parts of a tool with these arguments; `rest` goes to the root of its input schema. */
export const input = (properties: Schema, rest: Schema = {}): Partial<ToolModel> => ({
  inputSchema: { type: 'object', properties, additionalProperties: false, ...rest },
});

/** `broken` names the rules, `problems` is what would be reported. */
export function check(parts: Partial<ToolModel>, accept: Readonly<Record<string, string>> = {}) {
  const report = createReporter('specs/notes/openapi.yaml', 'specs/notes/connector.yaml');
  const place = '/paths/~1notes/get';
  const checked: CheckedTool = {
    tool: tool(parts),
    report: (message, fix) => report.descriptor('profile-refused', place, message, fix),
  };
  const clients = checkProfiles([checked], config({ profiles: { accept } }), report);
  const broken = clients.flatMap((client) => client.broken.map(({ rule }) => rule));
  return { clients, broken, problems: report.problems };
}

/** Code and message. */
export const toLines = (problems: readonly Problem[]) => problems.map(({ code, message }) => `${code} ${message}`);
