/** Old names of tools: which ones `connector.yaml` keeps after a rename, and for how long. */

import type { Problem } from '../../diagnostics.ts';
import { byCodeUnit } from '../../json.ts';
import { toPointer } from '../../json-pointer.ts';
import type { ConnectorConfig, ToolConfig } from '../../load/connector-config.ts';
import type { HandWrittenFile } from '../../load/hand-written/index.ts';
import type { Reporter } from '../problems.ts';
import type { ToolModel } from '../types.ts';

type Aliases = ToolConfig['aliases'];

/** Sorted by name; undefined if there are none. */
export function toOldNames(aliases: Aliases = {}): ToolModel['aliases'] {
  const names = Object.entries(aliases).map(([name, { until }]) => ({ name, until }));
  return names.length === 0 ? undefined : names.sort((a, b) => byCodeUnit(a.name, b.name));
}

/** Rule: an alias leads to one tool. No tool has that name, and no other tool has that alias. */
export function checkOldNames(tools: readonly ToolModel[], report: Reporter): void {
  const owners = new Map(tools.map(({ name }) => [name, name]));
  for (const { name: tool, aliases } of tools) {
    for (const { name } of aliases ?? []) {
      const owner = owners.get(name);
      if (owner === undefined) owners.set(name, tool);
      else {
        const what = owner === name ? `There is a tool ${name}` : `${name} is an alias of ${owner} already`;
        report.config('config-alias', ['tools', tool, 'aliases', name], `${what}.`);
      }
    }
  }
}

/** True if the diagnostics of a connector depend on the day. */
export function hasOldNames({ tools }: ConnectorConfig): boolean {
  return Object.values(tools).some(({ aliases }) => Object.keys(aliases ?? {}).length > 0);
}

/** Aliases of connector.yaml that have expired. `today` is an ISO date. */
export function findExpiredOldNames({ tools }: ConnectorConfig, configFile: string, today: string): Problem[] {
  return Object.entries(tools).flatMap(([tool, { aliases }]) =>
    expired(aliases, today).map(({ name, until }) => ({
      code: 'config-alias-ended',
      file: configFile,
      pointer: toPointer(['tools', tool, 'aliases', name]),
      message: `The alias ${name} of ${tool} ended on ${until}.`,
    })),
  );
}

/** The same for the aliases of hand-written tools. */
export function findExpiredAliases(files: readonly HandWrittenFile[], today: string): Problem[] {
  return files.flatMap(({ file, definition }) =>
    expired(definition.aliases, today).map(({ name, until }) => ({
      code: 'config-alias-ended',
      file,
      pointer: toPointer(['aliases', name]),
      message: `The alias ${name} ended on ${until}.`,
    })),
  );
}

function expired(aliases: Aliases = {}, today: string): readonly { readonly name: string; readonly until: string }[] {
  return Object.entries(aliases).flatMap(([name, { until }]) => (until < today ? [{ name, until }] : []));
}
