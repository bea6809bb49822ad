/** The table of settings in the help of `npm start`, and in the page of settings. */

import type { Connector } from '../contract/index.ts';
import { CORE_SETTINGS } from './core-settings.ts';
import { oauthOriginVariables } from './oauth-origins.ts';
import { fileVariableOf } from './secret-files.ts';
import { type Group, type Setting, type SettingsOwner, typeOf } from './setting.ts';

/** One row of the help table, and of the page of settings. */
export interface VariableDescription {
  readonly name: string;
  readonly group: Group;
  /** The form of the text, in a few words. */
  readonly type: string;
  readonly default: string;
  readonly meaning: string;
  /** It is never given on a command line, which other users of the machine can see. */
  readonly secret: boolean;
}

/** The settings of the core, then those of the modules, in the order of the table. */
export function listSettings(modules: readonly SettingsOwner[]): Setting[] {
  return [CORE_SETTINGS, ...modules.map(({ settings = {} }) => settings)].flatMap((rows) =>
    Object.values<Setting>(rows),
  );
}

/** Describes one setting. */
export function describeSetting(row: Setting): VariableDescription {
  const { variable: name, group, meaning, defaultText, secret = false } = row;
  const fromFile = secret ? ` Or the file that ${fileVariableOf(name)} names.` : '';
  return { name, group, type: typeOf(row), default: defaultText, meaning: meaning + fromFile, secret };
}

/** Every variable that the gateway reads: first its settings, then the base URLs of the connectors. */
export function describeVariables(
  connectors: readonly Connector[],
  modules: readonly SettingsOwner[],
): VariableDescription[] {
  const rows = listSettings(modules).map(describeSetting);
  const servers = connectors.flatMap((connector) => {
    const variables = connector.servers.flatMap((server) => server.variables);
    const envOf = (variable: string) => variables.find(({ name }) => name === variable)?.env ?? variable;
    return variables.map(({ name, env, derive, default: value }) => ({
      name: env,
      group: 'Upstreams' as const,
      type: 'URL',
      default: derive === null ? value : `that of ${envOf(derive.from)} without ${derive.removeSuffix}`,
      meaning: `Base URL of ${connector.title}: {${name}} in specs/${connector.name}.`,
      secret: false,
    }));
  });
  const oauth = oauthOriginVariables(connectors).map(({ connector, name }) => ({
    name,
    group: 'Upstreams' as const,
    type: 'origin',
    default: `as in specs/${connector.name}`,
    meaning: `Origin of the authorization server of ${connector.title}, whose paths stay.`,
    secret: false,
  }));
  return [...rows, ...new Map([...servers, ...oauth].map((each) => [each.name, each])).values()];
}
