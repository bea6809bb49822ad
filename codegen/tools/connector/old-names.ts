/** Old names of tools: which ones `connector.yaml` keeps after a rename, and for how long. */

import type { Problem } from '../../diagnostics.ts';
import { byCodeUnit } from '../../json.ts';
import { toPointer } from '../../json-pointer.ts';
import type { ConnectorConfig, ToolConfig } from '../../load/connector-config.ts';
import type { Reporter } from '../problems.ts';
import type { ToolModel } from '../types.ts';

/** A name that still works. `until` is an ISO date. */
export interface OldName {
  readonly name: string;
  readonly until: string;
}

/** Sorted by name; no member at all if there are none. */
export function toOldNames(config: ToolConfig['aliases'], former?: OldName): Pick<ToolModel, 'aliases'> {
  const aliases: OldName[] = Object.entries(config ?? {}).map(([name, { until }]) => ({ name, until }));
  if (former !== undefined) aliases.push(former);
  return aliases.length === 0 ? {} : { aliases: aliases.sort((a, b) => byCodeUnit(a.name, b.name)) };
}

/** Rule: an alias leads to one tool. No tool has that name, and no other tool has that alias. */
export function checkOldNames(tools: readonly ToolModel[], { tools: own }: ConnectorConfig, report: Reporter): void {
  const owners = new Map(tools.map(({ name }) => [name, name]));
  for (const { name: tool, aliases } of tools) {
    for (const { name } of aliases ?? []) {
      const owner = owners.get(name);
      if (owner === undefined) owners.set(name, tool);
      else {
        const what = owner === name ? `There is a tool ${name}` : `${name} is an alias of ${owner} already`;
        const isOwn = own[tool]?.aliases?.[name] !== undefined;
        report.config(
          'config-alias',
          isOwn ? ['tools', tool, 'aliases', name] : ['names', 'oldNamesUntil'],
          `${what}.`,
        );
      }
    }
  }
}

/** True if the diagnostics of a connector depend on the day. */
export function hasOldNames({ tools, names }: ConnectorConfig): boolean {
  if (names?.oldNamesUntil !== undefined) return true;
  return Object.values(tools).some(({ aliases }) => Object.keys(aliases ?? {}).length > 0);
}

/** Aliases that have expired. `today` is an ISO date. */
export function findExpiredOldNames({ tools, names }: ConnectorConfig, configFile: string, today: string): Problem[] {
  const { oldNamesUntil } = names ?? {};
  const ofTools = Object.entries(tools).flatMap(([tool, { aliases }]) =>
    Object.entries(aliases ?? {})
      .filter(([, { until }]) => until < today)
      .map(
        ([name, { until }]): Problem => ({
          code: 'config-alias-ended',
          file: configFile,
          pointer: toPointer(['tools', tool, 'aliases', name]),
          message: `The alias ${name} of ${tool} ended on ${until}.`,
        }),
      ),
  );
  if (oldNamesUntil === undefined || oldNamesUntil >= today) return ofTools;
  const message = `The old names ended on ${oldNamesUntil}.`;
  return [
    ...ofTools,
    { code: 'config-alias-ended', file: configFile, pointer: toPointer(['names', 'oldNamesUntil']), message },
  ];
}
