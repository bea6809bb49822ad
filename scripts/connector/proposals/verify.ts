/** The call that verifies a credential, and what its response says about the connected user. */

import type { OperationModel, ServiceModel } from '../../../codegen/model/types.ts';
import { plainName } from '../../../codegen/tools/answers/paging-names.ts';
import { operationKey } from '../../../codegen/tools/connector/names/operation-key.ts';
import type { ToolModel } from '../../../codegen/tools/types.ts';
import type { Draft } from './draft.ts';

/** Last path segments of operations that return the caller, most likely first; in lower case, without separators. */
const IDENTITY = [
  'me',
  'self',
  'myself',
  'whoami',
  'viewer',
  'currentuser',
  'authenticateduser',
  'userinfo',
  'authtest',
  'current',
  'user',
  'account',
  'profile',
  'tokeninfo',
];
/** Last path segments of operations that answer anyone: the worst proofs. */
const LIVENESS = /^(?:ping|health.*|status|version|heartbeat|ready|live)$/;
const NAMES = ['display_name', 'displayName', 'global_name', 'name', 'full_name', 'login', 'username', 'email'];

/** The tool that returns the user, with the reason for choosing it; null if there is none. */
interface Proof {
  readonly tool: ToolModel;
  /** False: a reading tool that may not need a credential. */
  readonly isSure: boolean;
}

/** Returns a read-only tool without required arguments that takes the credential, for every kind of credential that a user may have. */
export function findProof(tools: readonly ToolModel[], model: ServiceModel, isCovered: IsCovered): Proof | null {
  const operations = new Map(model.operations.map((operation) => [operationKey(operation), operation]));
  const simple = tools
    .filter((tool) => tool.annotations.readOnlyHint && tool.operation.method !== 'HEAD')
    .filter((tool) => tool.credential?.length !== 0)
    .filter((tool) => tool.arguments.every(({ required }) => !required))
    .filter((tool) => isCovered(operations.get(operationKey(tool.operation))))
    .map((tool) => ({
      tool,
      rank: rankOf(tool.operation.path),
      isGuarded: isGuarded(operations.get(operationKey(tool.operation))),
    }))
    .filter(({ isGuarded }) => isGuarded || model.securitySchemes.length === 0)
    .sort((a, b) => a.rank - b.rank || depthOf(a.tool) - depthOf(b.tool));
  const [best] = simple;
  return best === undefined ? null : { tool: best.tool, isSure: best.rank < IDENTITY.length };
}

type IsCovered = (operation: OperationModel | undefined) => boolean;

/** @param isCovered whether an operation takes every kind of credential that a user may choose. */
export function writeProof(tools: readonly ToolModel[], model: ServiceModel, isCovered: IsCovered, draft: Draft): void {
  const proof = findProof(tools, model, isCovered);
  const better = proof?.isSure === true ? undefined : findOutside(tools, model);
  if (better !== undefined) {
    draft.say(`${operationKey(better)} would tell who is connected, and is none of the tools. List it to use it here.`);
  }
  if (proof === null) {
    draft.decide('verify', 'which reading tool fails without a valid credential? None needs no argument.');
    draft.add('');
    return;
  }
  const { tool, isSure } = proof;
  if (isSure) draft.say(`Seen: ${operationKey(tool.operation)} needs no argument, and by its path tells who calls.`);
  else draft.decide('verify', 'is this the cheapest reading tool that fails without a valid credential?');
  draft.propose(isSure, 'verify:', `  tool: ${tool.name}`);
  draft.add('');
  const names = isSure ? namesIn(tool.outputSchema, '') : [];
  if (names.length === 0) return;
  draft.say('Seen in its answer: the first of these that is there names the account.');
  draft.add('account:', `  tool: ${tool.name}`, `  name: [${names.join(', ')}]`, '');
}

/** Returns an operation that returns the caller and is not a tool. */
function findOutside(
  tools: readonly ToolModel[],
  { operations, securitySchemes }: ServiceModel,
): OperationModel | undefined {
  const toolKeys = new Set(tools.map(({ operation }) => operationKey(operation)));
  const hasRequired = ({ parameters }: OperationModel) => parameters.some(({ required }) => required);
  return operations
    .filter(
      (operation) => operation.method === 'GET' && !toolKeys.has(operationKey(operation)) && !hasRequired(operation),
    )
    .filter((operation) => isGuarded(operation) || securitySchemes.length === 0)
    .filter((operation) => rankOf(operation.path) < IDENTITY.length)
    .sort((a, b) => rankOf(a.path) - rankOf(b.path))[0];
}

/**
 * Returns the index in `IDENTITY` of the path's last segment, without its separators: `auth.test` is `authtest`. It is the length of `IDENTITY` for
 * any other segment, and one more for a sign of life.
 */
function rankOf(path: string): number {
  const last =
    path
      .split('/')
      .filter((segment) => segment !== '')
      .at(-1) ?? '';
  const name = last.includes('{') ? '' : plainName(last.replace(/\.json$/, ''));
  if (LIVENESS.test(name)) return IDENTITY.length + 1;
  const index = IDENTITY.indexOf(name);
  return index < 0 ? IDENTITY.length : index;
}

function depthOf({ operation }: ToolModel): number {
  return operation.path.split('/').length;
}

function isGuarded(operation: OperationModel | undefined): boolean {
  return operation !== undefined && operation.security.length > 0 && operation.security.every((all) => all.length > 0);
}

/** Returns pointers to members that contain a name, at the root or in the single object that wraps a response. */
function namesIn(schema: Readonly<Record<string, unknown>>, pointer: string): string[] {
  const members = (schema.properties ?? {}) as Record<string, Readonly<Record<string, unknown>>>;
  const textMembers = NAMES.filter((name) => Object.hasOwn(members, name) && isTextMember(members[name] ?? {}));
  if (textMembers.length > 0 || pointer !== '') return textMembers.map((name) => `${pointer}/${name}`);
  return ['data', 'user'].flatMap((name) =>
    Object.hasOwn(members, name) ? namesIn(members[name] ?? {}, `/${name}`) : [],
  );
}

/** Returns true if a member of an output schema is text. A member without a type counts as text unless it has members or items. */
function isTextMember({ type, properties, additionalProperties, items }: Readonly<Record<string, unknown>>): boolean {
  if (type !== undefined) return JSON.stringify(type).includes('string');
  return properties === undefined && additionalProperties === undefined && items === undefined;
}
