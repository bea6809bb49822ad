/** Infers what an operation does from its method, its names and the shapes of its request and answer. */

import type { McpClaims } from '../../load/mcp/index.ts';
import { isKnownMethod } from '../../model/methods.ts';
import type { Method, OperationModel } from '../../model/types.ts';
import { wordSet } from '../../word-set.ts';
import { toWords } from '../words/words.ts';
import {
  type Effect,
  isCertain,
  type Name,
  type PathName,
  readOperationId,
  readPath,
  readSummary,
  type Verb,
  verbAt,
} from './names.ts';
import {
  findDestructiveShape,
  findMethodChoice,
  findReadingShape,
  findStatement,
  hasMemberOf,
  type Resolve,
} from './shapes.ts';
import { PLAIN_VERBS, RESTORING_VERBS, THINGS_READ, WRITING_VERBS_OF_GET } from './verbs.ts';

export type { Effect } from './names.ts';

/** The parts of an operation from which its effect is inferred. */
export type JudgedOperation = Pick<OperationModel, 'id' | 'method' | 'path' | 'summary'> &
  Partial<Pick<OperationModel, 'target' | 'parameters' | 'body' | 'responses' | 'mcp'>>;

export interface InferredEffect {
  readonly effect: Effect;
  /** The sign of the effect, such as `"delete" in the path`. Null if only the method decided. */
  readonly evidence: string | null;
  /** Set if an MCP server claims that the tool does less: the claim. */
  readonly contradictedClaim?: string;
  /** True if an MCP server declares that calls can be repeated. */
  readonly isRepeatable?: boolean;
}

const SAFE_METHODS: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE']);
const DESTRUCTIVE_METHODS: ReadonlySet<Method> = new Set(['COPY', 'DELETE', 'MOVE', 'PATCH', 'PUT']);

/**
 * The effect that a method has by itself (RFC 9110 §9.2.1). PUT and PATCH overwrite, and so do COPY and MOVE at their destination (RFC 4918 §9.8.4, §9.9.3). Of a method
 * that OpenAPI does not know, such as PURGE, its name says whether it destroys.
 */
export function effectOfMethod(method: Method): Effect {
  if (SAFE_METHODS.has(method)) return 'reads';
  const isDeed = !isKnownMethod(method) && verbAt([method.toLowerCase()], 0)?.effect === 'destroys';
  return isDeed || DESTRUCTIVE_METHODS.has(method) ? 'destroys' : 'writes';
}

/**
 * The effect of an operation. A destructive verb outranks the method; a reading verb outranks POST unless a destructive
 * verb or shape, or another verb that writes, contradicts it. Without a sign the method decides.
 *
 * @param resolve follows a `$ref` of the descriptor. Default: shapes behind references are not looked at.
 */
export function inferEffect(operation: JudgedOperation, resolve: Resolve = () => ({})): InferredEffect {
  if (operation.mcp !== undefined) return inferOfMcp(operation, operation.mcp.claims, resolve);
  const names = readNames(operation);
  const byMethod = effectOfMethod(operation.method);
  const inferred =
    byMethod === 'reads'
      ? (inferOfSafe(names) ?? inferOfMethodChoice(operation, resolve))
      : inferFromWords(operation, names, resolve);
  if (byMethod === 'destroys' || inferred === null || inferred.effect === byMethod) {
    return { effect: byMethod, evidence: null };
  }
  return inferred;
}

/** An argument can make a DELETE of any request. */
function inferOfMethodChoice(operation: JudgedOperation, resolve: Resolve): InferredEffect | null {
  const choice = findMethodChoice(operation, resolve);
  return choice === null ? null : { effect: 'destroys', evidence: choice };
}

const RISKS: Readonly<Record<Effect, number>> = { reads: 0, writes: 1, destroys: 2 };

/**
 * The effect of a tool of an MCP server: the more serious of what its words and shapes say and what the server claims. A claim
 * can only raise what words say, and decides alone where there is no word. Without a sign and a claim the tool writes.
 */
function inferOfMcp(operation: JudgedOperation, claims: McpClaims, resolve: Resolve): InferredEffect {
  const isRepeatable = claims.idempotent === true;
  // The path repeats the name.
  const names = readNames({ ...operation, path: '/' });
  const found = inferFromWords(operation, names, resolve) ?? findWriting(names);
  const byWords = found && { ...found, evidence: found.evidence?.replace('the operationId', 'its name') ?? null };
  const claim = readClaim(claims);
  if (claim === null)
    return byWords === null ? { effect: 'writes', evidence: null, isRepeatable } : { ...byWords, isRepeatable };
  const claimed = { effect: claim.effect, evidence: `the claim of the server, ${claim.text}`, isRepeatable };
  if (byWords === null || RISKS[byWords.effect] < RISKS[claim.effect]) return claimed;
  const inferred = { ...byWords, isRepeatable };
  return RISKS[byWords.effect] > RISKS[claim.effect] ? { ...inferred, contradictedClaim: claim.text } : inferred;
}

/** `destructiveHint` has a meaning only for a tool that is not read-only (MCP 2026-07-28, `ToolAnnotations`). */
function readClaim({ readOnly, destructive }: McpClaims): { readonly effect: Effect; readonly text: string } | null {
  if (readOnly === true) return { effect: 'reads', text: 'readOnlyHint: true' };
  if (destructive !== undefined)
    return { effect: destructive ? 'destroys' : 'writes', text: `destructiveHint: ${destructive}` };
  return readOnly === false ? { effect: 'writes', text: 'readOnlyHint: false' } : null;
}

function findWriting(names: Names): InferredEffect | null {
  if (!isWriting(names)) return null;
  const named = [names.id, names.summary].find((name) => name?.first?.effect === 'writes');
  return named == null
    ? { effect: 'writes', evidence: 'a word that writes in its name' }
    : toEvidence(named, named.first);
}

interface Names {
  /** Null without an operationId. */
  readonly id: Name | null;
  readonly path: PathName;
  readonly summary: Name;
  /** All words of all names. */
  readonly words: readonly string[];
}

function readNames({ id, method, path, target, summary }: JudgedOperation): Names {
  const query = target?.query ? `?${target.query}` : '';
  const name = id === null || id === '' ? null : readOperationId(id, method);
  const words = [id ?? '', path, summary].flatMap(toWords);
  return { id: name, path: readPath(`${path}${query}`), summary: readSummary(summary), words };
}

/** What names and shapes say, in the order of risk, whatever the method is: of a request that may write, or of a tool of an MCP server. */
function inferFromWords(operation: JudgedOperation, names: Names, resolve: Resolve): InferredEffect | null {
  const destructive = findDestructive(names) ?? inferOfMethodChoice(operation, resolve);
  if (destructive !== null) return destructive;
  const statement = findStatement(operation, namesOfStatement(operation, names, resolve), resolve);
  if (statement !== null) return { effect: 'destroys', evidence: `any statement in "${statement}"` };
  const reading = isWriting(names) ? null : findReading(names);
  const destructiveShape = findDestructiveShape(operation, reading !== null, resolve);
  if (destructiveShape !== null) return { effect: 'destroys', evidence: destructiveShape };
  if (reading !== null || isWriting(names)) return reading;
  const readingShape = findReadingShape(operation, resolve);
  return readingShape === null ? null : { effect: 'reads', evidence: readingShape };
}

/** The first name that says a destructive deed which no other name explains away. */
function findDestructive({ id, path, summary }: Names): InferredEffect | null {
  const isNamedOtherwise = isOtherVerb(id) || isOtherVerb(summary);
  if (id?.destructive != null && !(id.destructive.isNoun && id.first === null && isNamedOtherwise)) {
    return toEvidence(id, id.destructive);
  }
  if (id !== null && endsWithDeed(id, path, summary)) return toEvidence(id, id.last);
  if (id !== null && isCertain(id.second) && !PLAIN_VERBS.has(id.words[0] ?? '')) return toEvidence(id, id.second);
  if (isRestoring(id) || (path.isAlone && isRestoring(path))) return null;
  if (summary.destructive !== null && (isCertain(summary.destructive) || !isOtherVerb(id))) {
    return toEvidence(summary, summary.destructive);
  }
  if (path.destructive !== null) {
    const isCertainAlone = isCertain(path.destructive) && path.isAlone;
    if (isCertainAlone || path.isAction || !isNamedOtherwise) return toEvidence(path, path.destructive);
  }
  const isJudged = isNamedOtherwise || isOtherVerb(path);
  return path.earlier === null || isJudged ? null : toEvidence(path, path.earlier);
}

/**
 * True if the last word of an operationId is what the operation does, as in `link_token_delete`, which begins with a noun. It is not after a verb
 * that is never a noun: then the last word is the object of that verb. A last word that may be a noun counts if the summary or the path says the
 * same: `query_stop` with `/queries/{id}/stop`.
 */
function endsWithDeed({ words, last }: Name, path: PathName, summary: Name): boolean {
  const [start = ''] = words;
  const isInPath = path.isAlone && (path.isOfItem || path.parent.includes(start)) && last?.word === path.first?.word;
  const isDone = last?.effect === 'destroys' && (isInPath || last.word === summary.first?.word);
  return (isDone || isCertain(last)) && !PLAIN_VERBS.has(start);
}

/** True if a name begins or ends with a verb that brings something back: `conversations.unarchive`. */
function isRestoring(name: Name | null): boolean {
  return name !== null && [name.first, name.last].some((verb) => verb !== null && RESTORING_VERBS.has(verb.word));
}

/** True if a name begins with a verb that does not destroy. */
function isOtherVerb(name: Name | null): boolean {
  return name?.first != null && name.first.effect !== 'destroys';
}

/** Languages whose queries also write. */
const LANGUAGES = wordSet('cypher d1 graphql gremlin influxql ksql partiql sparql sql');

/** Words of operations that can do anything: a statement says what, or the name of a method. */
const EXECUTORS = new Set([...LANGUAGES, ...wordSet('eval exec jsonrpc rpc')]);

/** Arguments of such operations. */
const STATEMENT_NAMES = new Set([
  ...LANGUAGES,
  ...wordSet('cmd code command commands method query script statement statements'),
]);

/** Words of operations that run what an argument says, and the arguments that say it. */
const RUNNING_VERBS = wordSet('evaluate execute execution run');
const COMMANDS = wordSet('bash command shell terminal');
const COMMAND_NAMES = new Set([...LANGUAGES, ...wordSet('cmd command')]);
const PROGRAM_NAMES = new Set([...COMMAND_NAMES, ...wordSet('commands javascript script statement statements')]);

/** The arguments that could say anything, by what the names say. A script that is not run is only kept. */
function namesOfStatement(operation: JudgedOperation, { words }: Names, resolve: Resolve): ReadonlySet<string> {
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word));
  if (has(EXECUTORS) || hasMemberOf(operation, LANGUAGES, resolve)) return STATEMENT_NAMES;
  if (has(RUNNING_VERBS)) return PROGRAM_NAMES;
  return has(COMMANDS) ? COMMAND_NAMES : LANGUAGES;
}

/** True if a name begins or ends with a verb that writes, or joins one to another verb: `find_or_create`. */
function isWriting({ id, path, summary, words }: Names): boolean {
  if (words.some((word) => LANGUAGES.has(word))) return true;
  if (id !== null && id.first === null && id.last?.effect === 'writes') return true;
  if (
    id?.first?.effect === 'reads' &&
    id.first.isNoun &&
    [id.second, id.last].some((verb) => verb?.effect === 'writes')
  ) {
    return true;
  }
  const names = id === null ? [path, summary] : [id, path, summary];
  return names.some((name) => name.first?.effect === 'writes' || name.isJoinedToWriting);
}

/** The first name that says that the operation only reads. */
function findReading({ id, path, summary }: Names): InferredEffect | null {
  if (id !== null && id.first?.effect === 'reads') return toEvidence(id, id.first);
  if (id !== null && id.first === null && id.last?.effect === 'reads' && !id.last.isFirstOnly) {
    return toEvidence(id, id.last);
  }
  if (summary.first?.effect === 'reads') return toEvidence(summary, summary.first);
  const verb = path.first;
  if (verb === null || verb.effect !== 'reads' || verb.isFirstOnly) return null;
  return path.isAlone || path.isAction || !verb.isNoun ? toEvidence(path, verb) : null;
}

/** A GET has another effect only if a verb names it: a noun such as `deleted-items` is what it reads. */
function inferOfSafe({ id, path, summary }: Names): InferredEffect | null {
  if (path.isAction) {
    if (path.first?.effect === 'destroys') return toEvidence(path, path.first);
    if (path.first !== null && WRITING_VERBS_OF_GET.has(path.first.word)) return toEvidence(path, path.first);
  }
  if (summary.first?.effect === 'reads' || (id !== null && isThing(id))) return null;
  const deed = id?.destructive ?? null;
  const isMeant =
    isCertain(deed) || (deed !== null && deed === id?.first && (isSaid(deed, summary) || isDone(deed, path)));
  if (id !== null && deed !== null && isMeant) return toEvidence(id, deed);
  if (isCertain(path.first) && path.isAlone) return toEvidence(path, path.first);
  const isRead = id?.first?.effect === 'reads';
  if (isCertain(summary.first) && !isThing(summary) && !isRead) return toEvidence(summary, summary.first);
  if (
    id?.first != null &&
    WRITING_VERBS_OF_GET.has(id.first.word) &&
    (!id.isAfterMethod || isSaid(id.first, summary))
  ) {
    return toEvidence(id, id.first);
  }
  return path.isAlone && path.first !== null && RESTORING_VERBS.has(path.first.word) && path.first.word.startsWith('un')
    ? toEvidence(path, path.first)
    : null;
}

/** `Stop a job`, not `Stops near a place`. */
function isSaid({ word }: Verb, summary: Name): boolean {
  return summary.first?.word === word && summary.words.length > 1 && !isThing(summary);
}

/** `/jobs/{id}/stop`. */
function isDone({ word }: Verb, path: PathName): boolean {
  return path.isAlone && path.isOfItem && path.first?.word === word;
}

/** True for the name of a thing: `resetPasswordPolicy`. */
function isThing({ words }: Name): boolean {
  return words.length > 1 && THINGS_READ.has(words.at(-1) ?? '');
}

function toEvidence({ source }: Name, verb: Verb | null): InferredEffect | null {
  if (verb === null) return null;
  return { effect: verb.effect, evidence: `"${verb.word}" in the ${source}` };
}
