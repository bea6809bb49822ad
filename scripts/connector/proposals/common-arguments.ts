/** Arguments that nearly every tool has: secrets that no scheme declares, version headers, ids of accounts. No model should choose them. */

import { plainName } from '../../../codegen/tools/answers/paging-names.ts';
import { writePartConfig } from '../../../codegen/tools/connector/credential-parts.ts';
import type { ArgumentModel, ConnectorModel, CredentialPart, ToolModel } from '../../../codegen/tools/types.ts';
import { toCamelCase, toWords } from '../../../codegen/tools/words/words.ts';
import { countEach } from './draft.ts';
import { toLabel } from './labels.ts';

/** The entries of connector.yaml that replace such arguments. */
export interface CommonArguments {
  /** Values that a user is asked for while connecting, secret or public. */
  readonly also: readonly Proposal<Readonly<Record<string, string | false>>>[];
  /** Arguments that repeat a value that a security scheme sends, such as `query.token`. */
  readonly repeated: readonly Proposal<string>[];
  /** Constants by place. */
  readonly fixed: readonly Proposal<readonly [place: string, value: unknown]>[];
}

/** A proposal, and where it was seen. */
interface Proposal<Value> {
  readonly value: Value;
  readonly place: string;
  readonly count: number;
  readonly total: number;
}

/** Names of secrets without separators; the second are secrets only where the description says so. */
const SECRET =
  /^(?:x|http)?(?:api|access|auth|app|application|private|oauth|subscription|client|user)?(?:key|token|secret|code|apikey|authtoken|accesstoken)$|password$|^authorization$|(?:apikey|accesstoken|authtoken|clientsecret|integrationcode)$/;
const WEAK = /^(?:key|token|code|secret|clientid|clientkey|apiuser|userid|username|login|password)$/;
const SAYS_SECRET =
  /\b(?:api|access|auth\w*|secret|private|client|integration|bot|bearer)[ _`-]{0,3}(?:key|token|secret|code|credential|id)s?\b|authenticat|credential/i;
const VERSION = /(?:^|api)version$|^(?:x)?version$/;
const OF_ACCOUNT =
  /(?:account|tenant|organi[sz]ation|org|company|workspace|site|realm|store|shop|subscription|customer|team|project)(?:id|key|uid|guid|name|slug|number|sid)?$/;
/** A place belongs to a service if at least this share of the tools has it, and a secret if that share of those that could. */
const SHARE = 0.9;
const SECRET_SHARE = 0.5;
const MIN_TOOLS = 5;

/** @param connector built without these proposals */
export function findCommonArguments({ credential, tools, title }: ConnectorModel): CommonArguments {
  const proposals: {
    also: CommonArguments['also'][number][];
    repeated: Proposal<string>[];
    fixed: CommonArguments['fixed'][number][];
  } = {
    also: [],
    repeated: [],
    fixed: [],
  };
  const bodyToolCount = tools.filter((tool) => tool.arguments.some(({ wire }) => wire?.in === 'body')).length;
  const toolCountByName = new Map(
    countEach(tools.flatMap((tool) => [...new Set(placesOf(tool).map(([place]) => nameIn(place)))])),
  );
  for (const [place, occurrences] of Map.groupBy(tools.flatMap(placesOf), ([key]) => key)) {
    const [[, argument] = []] = occurrences;
    const { wire = null } = argument ?? {};
    if (argument === undefined || wire === null || wire.name === null) continue;
    const all = occurrences.map(([, one]) => one);
    const evidence = { place, count: all.length, total: wire.in === 'body' ? bodyToolCount : tools.length };
    const name = plainName(wire.name);
    // One secret may be a header of some operations and a query of others.
    const share = Math.max(all.length / evidence.total, (toolCountByName.get(name) ?? 0) / tools.length);
    if (share >= SECRET_SHARE && isSecret(name, all)) {
      if (repeats(name, credential.parts)) proposals.repeated.push({ ...evidence, value: place });
      else proposals.also.push({ ...evidence, value: toPart(argument, wire, { title, isPublic: false }) });
    } else if (all.length / tools.length < SHARE || tools.length < MIN_TOOLS) continue;
    else if (wire.in === 'header' || wire.in === 'query') {
      const value = constantOf(name, all);
      if (value !== undefined) proposals.fixed.push({ ...evidence, value: [place, value] });
      else if (isOfAccount(name, all))
        proposals.also.push({ ...evidence, value: toPart(argument, wire, { title, isPublic: true }) });
    } else if (wire.in === 'path' && isOfAccount(name, all)) {
      proposals.also.push({ ...evidence, value: toPart(argument, wire, { title, isPublic: true }) });
    }
  }
  return proposals;
}

function placesOf({ arguments: args }: ToolModel): [place: string, argument: ArgumentModel][] {
  return args.flatMap((argument): [string, ArgumentModel][] =>
    argument.wire === null || argument.wire.name === null
      ? []
      : [[`${argument.wire.in}.${argument.wire.name}`, argument]],
  );
}

function nameIn(place: string): string {
  return plainName(place.slice(place.indexOf('.') + 1));
}

function textsOf(args: readonly ArgumentModel[]): string {
  return args.map(({ schema }) => String(schema.description ?? '')).join('\n');
}

function isSecret(name: string, args: readonly ArgumentModel[]): boolean {
  const isText = args.every(
    ({ schema }) => schema.type === undefined || JSON.stringify(schema.type).includes('string'),
  );
  if (!isText || args.some(({ schema }) => schema.enum !== undefined)) return false;
  return (SECRET.test(name) || WEAK.test(name)) && (SAYS_SECRET.test(textsOf(args)) || !WEAK.test(name));
}

/** Returns true if the schemes already send the argument: it is a token and one of them is a token, or it has the name of one. */
function repeats(name: string, parts: readonly CredentialPart[]): boolean {
  return parts.some((part) => {
    const isToken = part.type === 'oauth2' || part.type === 'bearer';
    const names = [part.id, part.name ?? ''].map(plainName);
    return (
      (isToken && name.endsWith('token')) ||
      names.some((partName) => partName !== '' && (partName === name || partName.endsWith(name)))
    );
  });
}

function isOfAccount(name: string, args: readonly ArgumentModel[]): boolean {
  return OF_ACCOUNT.test(name) && args.every(({ required }) => required);
}

/**
 * Returns the only value of an argument. For a version with several values, returns its default or else its newest. Undefined if there is no such
 * value.
 */
function constantOf(name: string, args: readonly ArgumentModel[]): unknown {
  const [schema = {}] = args.map((argument) => argument.schema);
  const values = Array.isArray(schema.enum) ? (schema.enum as readonly unknown[]) : [];
  if ('const' in schema) return schema.const;
  if (values.length === 1) return values[0];
  if (!VERSION.test(name)) return undefined;
  const [example] = Array.isArray(schema.examples) ? (schema.examples as readonly unknown[]) : [];
  return (
    schema.default ??
    values.toSorted((a, b) => String(a).localeCompare(String(b), 'en', { numeric: true })).at(-1) ??
    example
  );
}

function toPart(
  { schema }: ArgumentModel,
  wire: NonNullable<ArgumentModel['wire']>,
  { title, isPublic }: { readonly title: string; readonly isPublic: boolean },
) {
  const id = toCamelCase(toWords(wire.name ?? '')) || 'key';
  const part = { id, type: wire.in, label: isPublic ? id : 'API key', name: wire.name };
  const words = toWords(wire.name ?? '').map((word) => (/^(?:id|api|sid)$/.test(word) ? word.toUpperCase() : word));
  const label = isPublic ? words.join(' ') : toLabel({ ...part, id: '' }, title, [part]);
  const pattern = isPublic && typeof schema.pattern === 'string' ? schema.pattern.replace(/^\^|\$$/g, '') : undefined;
  return writePartConfig({
    ...part,
    label: `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`,
    isPublic: isPublic || undefined,
    pattern,
  });
}
