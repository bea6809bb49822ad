import type { Config } from '../../server/config/index.ts';
import type { Settings } from '../../server/config/setting.ts';
import type { Module } from '../../server/module.ts';

/** The settings of one module; undefined where the gateway has no such module. */
export function settingsOf<Rows extends Settings, Resolved>(
  { modules }: Pick<Config, 'modules'>,
  { name }: Module<Rows, Resolved>,
): Resolved | undefined {
  return modules.find(({ module }) => module.name === name)?.settings as Resolved | undefined;
}
