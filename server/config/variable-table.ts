/** The table of variables in the help of `npm start`, and what is said of each of them. */

import type { Connector } from '../contract/index.ts';
import type { VariableText } from './described.ts';
import { oauthOriginVariables } from './oauth-origins.ts';
import { fileVariableOf } from './secret-files.ts';
import { type Settings, VARIABLES } from './variables.ts';

export type VariableName = keyof Settings;

/** In the order of the table. */
export const NAMES = Object.keys(VARIABLES.shape) as VariableName[];

export function textOf(name: VariableName): VariableText {
  return VARIABLES.shape[name].meta() as unknown as VariableText;
}

/** One row of the help table. */
interface VariableDescription {
  readonly name: string;
  readonly default: string;
  readonly meaning: string;
  /** It never stands on a command line, which other users of the machine can see. */
  readonly secret: boolean;
}

/** Every variable that the gateway reads, its own first, then the base URLs of the connectors. */
export function describeVariables(connectors: readonly Connector[]): VariableDescription[] {
  const own = NAMES.map((name) => {
    const { meaning, default: words, secret } = textOf(name);
    const parsed = VARIABLES.shape[name].safeParse(undefined);
    const fromFile = secret === true ? ` Or the file that ${fileVariableOf(name)} names.` : '';
    return { name, default: words ?? String(parsed.data), meaning: meaning + fromFile, secret: secret === true };
  });
  const servers = connectors.flatMap((connector) => {
    const variables = connector.servers.flatMap((server) => server.variables);
    const envOf = (variable: string) => variables.find(({ name }) => name === variable)?.env ?? variable;
    return variables.map(({ name, env, derive, default: value }) => ({
      name: env,
      default: derive === null ? value : `that of ${envOf(derive.from)} without ${derive.removeSuffix}`,
      meaning: `Base URL of ${connector.title}: {${name}} in specs/${connector.name}.`,
      secret: false,
    }));
  });
  const oauth = oauthOriginVariables(connectors).map(({ connector, name }) => ({
    name,
    default: `as in specs/${connector.name}`,
    meaning: `Origin of the authorization server of ${connector.title}, whose paths stay.`,
    secret: false,
  }));
  return [...own, ...new Map([...servers, ...oauth].map((each) => [each.name, each])).values()];
}
