/** The table of variables in the help of `npm start`, and its descriptions. */

import { z } from 'zod';
import type { Connector } from '../contract/index.ts';
import type { VariableText } from './described.ts';
import { oauthOriginVariables } from './oauth-origins.ts';
import { fileVariableOf } from './secret-files.ts';
import { type Group, PLACES } from './variable-groups.ts';
import { type Settings, VARIABLES } from './variables.ts';

export type VariableName = keyof Settings;

/** In the order of the table. */
export const NAMES = Object.keys(VARIABLES.shape) as VariableName[];

export function textOf(name: VariableName): VariableText {
  return VARIABLES.shape[name].meta() as unknown as VariableText;
}

/** One row of the help table, and of the page of settings. */
export interface VariableDescription {
  readonly name: string;
  readonly group: Group;
  /** What the text must be, in a few words. */
  readonly type: string;
  readonly default: string;
  readonly meaning: string;
  /** It is never given on a command line, which other users of the machine can see. */
  readonly secret: boolean;
}

/** Every variable that the gateway reads: first its own, then the base URLs of the connectors. */
export function describeVariables(connectors: readonly Connector[]): VariableDescription[] {
  const own = NAMES.map((name) => {
    const { meaning, default: words, secret } = textOf(name);
    const parsed = VARIABLES.shape[name].safeParse(undefined);
    const fromFile = secret === true ? ` Or the file that ${fileVariableOf(name)} names.` : '';
    return {
      name,
      group: PLACES[name].group,
      type: typeOf(name),
      default: words ?? String(parsed.data),
      meaning: meaning + fromFile,
      secret: secret === true,
    };
  });
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
  return [...own, ...new Map([...servers, ...oauth].map((each) => [each.name, each])).values()];
}

/** @throws {Error} for a variable whose type neither its schema nor `PLACES` gives. */
function typeOf(name: VariableName): string {
  const inner = innermost(VARIABLES.shape[name]);
  const said = PLACES[name].type ?? inner.meta()?.type;
  if (typeof said === 'string') return said;
  if (inner instanceof z.ZodEnum) return inner.options.join(', ');
  if (inner instanceof z.ZodLiteral) return [...inner.values].join(', ');
  throw new Error(`${name} has no type in PLACES`);
}

function innermost(schema: z.core.$ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? innermost(schema.unwrap())
    : (schema as z.ZodType);
}
