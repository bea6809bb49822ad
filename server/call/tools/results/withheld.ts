/** Takes the members that never leave out of an upstream's answer, before anything else reads it. */

import { type Step, WITHHELD, type WithheldMembers, WithheldPaths } from '../../../../shared/withheld.ts';
import type { Connector } from '../../../contract/index.ts';
import { createRedactor, NOTHING_TO_REDACT, type UpstreamAnswer } from '../../upstream/index.ts';
import { isObject, type ParsedJson, parsePointer, readPointer, replaceAt, toExactJson, toPointer } from '../json.ts';
import { decodeBody, decodeErrorBody } from './decode.ts';
import { type ExplainedError, explain } from './errors.ts';
import { isContainer } from './measure.ts';
import { toObject } from './result.ts';
import { type CalledTool, isErrorInSuccess, readText, refusesCredential, USUAL_CODES } from './upstream-errors.ts';

const compiledPaths = new WeakMap<WithheldMembers, WithheldPaths>();
/** Values that are looked for in cursors and links. */
const MAX_VALUES = 2000;

/**
 * Returns the answer of a tool that withholds members, as JSON without them. A record of a stream that is not JSON is withheld as a whole.
 *
 * In an error, only the words that connector.yaml has are passed on, because a message may quote any member. A cursor or link that
 * contains a withheld value is not passed on: then the list continues, but its next page cannot be named. Only the headers that the
 * gateway reads are passed on.
 *
 * @returns an error for a successful answer that is not JSON.
 */
export function withhold(called: CalledTool, answer: UpstreamAnswer): UpstreamAnswer | ExplainedError {
  const { connector, tool, args } = called;
  const { withhold: members = {}, rows } = tool.result ?? {};
  const { status } = answer;
  const contentType = answer.header('content-type');
  if (status < 200 || status >= 300) {
    const body = decodeErrorBody(answer.body, contentType, NOTHING_TO_REDACT);
    return toAnswer(called, answer, toParsedJson(onlyKnownWords(connector, status, body)));
  }
  const isCut = answer.cutBy !== undefined;
  const body = decodeBody(answer.body, {
    contentType,
    tool,
    requested: {},
    isCut,
    opaqueRecord: WITHHELD,
    redactor: NOTHING_TO_REDACT,
  });
  if (body.kind === 'empty') return toAnswer(called, answer, undefined);
  const object = body.kind === 'json' ? toObject(tool, body.value) : null;
  const list = rows === undefined ? null : readPointer(object, rows.rows);
  if (body.kind !== 'json' || object === null || (Array.isArray(list) && list.some(Array.isArray))) {
    return explainOpaque(called, status);
  }
  if (isErrorInSuccess(connector.errors, body.rounded)) {
    return toAnswer(called, answer, toParsedJson(onlyKnownWords(connector, status, body.rounded)));
  }
  const paths = toPaths(members);
  const withheldValues = new Set<string>();
  const publicObject = dropWithheld(object, paths.start, paths, withheldValues);
  // An array, or a single value, is published as the only member of an object.
  const value = isObject(body.value) ? publicObject : (Object.values(publicObject as object)[0] ?? null);
  const { next = '' } = { ...tool.page } as { readonly next?: string };
  // Values that the caller itself sent are not searched for, because the caller knows them.
  const argsJson = JSON.stringify(args);
  const holdsWithheldValue = (text: unknown) =>
    typeof text === 'string' &&
    createRedactor([...withheldValues].filter((withheldValue) => !argsJson.includes(withheldValue))).isIn(text);
  const publicValue =
    next !== '' && holdsWithheldValue(readPointer(value, next)) ? replaceAt(value, next, WITHHELD) : value;
  const rounded = isObject(body.rounded) ? toObject(tool, body.rounded) : body.rounded;
  return toAnswer(called, answer, { value: publicValue, rounded }, holdsWithheldValue);
}

/** A value without these members. Numbers of `parseExactJson` keep their digits. */
export function withoutMembers(value: unknown, members: WithheldMembers): unknown {
  const paths = toPaths(members);
  return dropWithheld(value, paths.start, paths, new Set());
}

function toPaths(members: WithheldMembers): WithheldPaths {
  const paths = compiledPaths.get(members) ?? new WithheldPaths(members);
  compiledPaths.set(members, paths);
  return paths;
}

function dropWithheld(
  value: unknown,
  steps: readonly Step[],
  paths: WithheldPaths,
  withheldValues: Set<string>,
): unknown {
  if (Array.isArray(value)) return value.map((element) => dropWithheld(element, steps, paths, withheldValues));
  if (!isContainer(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const { how, next } = paths.enter(steps, name);
    if (how !== undefined) collectValues(member, withheldValues);
    if (how === 'drop') return [];
    return [[name, how === 'replace' ? WITHHELD : dropWithheld(member, next, paths, withheldValues)] as const];
  });
  return Object.fromEntries(members);
}

function collectValues(value: unknown, withheldValues: Set<string>): void {
  if (isContainer(value)) for (const member of Object.values(value)) collectValues(member, withheldValues);
  else if (withheldValues.size < MAX_VALUES)
    withheldValues.add(typeof value === 'string' ? value : JSON.stringify(value));
}

const toParsedJson = (value: unknown): ParsedJson => ({ value, rounded: value });

/**
 * Creates the answer that passes.
 *
 * @param json content of the answer, or undefined if it has none.
 * @param holdsWithheldValue returns true if a cursor or link has a withheld value.
 */
function toAnswer(
  { connector, tool: { page } }: CalledTool,
  { status, header }: UpstreamAnswer,
  json: ParsedJson | undefined,
  holdsWithheldValue: (text: unknown) => boolean = () => false,
): UpstreamAnswer {
  const next = page?.kind === 'header' ? page.header : 'link';
  const limits = (connector.rateLimitHeaders ?? []).flatMap(({ remaining, reset }) => [remaining, reset]);
  const passedHeaders = ['content-type', 'retry-after', next, ...limits];
  return {
    status,
    body: Buffer.from(json === undefined ? '' : toExactJson(json)),
    header(name) {
      if (name === 'content-type' && json !== undefined) return 'application/json';
      const text = passedHeaders.includes(name) ? header(name) : null;
      return name === next && holdsWithheldValue(text) ? `<${WITHHELD}>; rel="next"` : text;
    },
  };
}

/** Returns the parts of an error body that connector.yaml knows, in the words of connector.yaml. */
function onlyKnownWords({ errors }: Connector, status: number, body: unknown): object {
  const { inSuccess, outcomes = {}, invalidCredential } = errors;
  const codes = [...errors.code, ...USUAL_CODES];
  const code = readText(body, codes) ?? '';
  const [word] = Object.keys(outcomes)
    .filter((key) => key === code || (key.endsWith('*') && code.startsWith(key.slice(0, -1))))
    .map((key) => key.replace('*', ''))
    .sort((a, b) => b.length - a.length);
  const publicBody: Record<string, unknown> = {};
  if (inSuccess !== null) setAt(publicBody, inSuccess, {});
  setAt(publicBody, errors.message[0] ?? '/message', WITHHELD);
  if (word !== undefined) setAt(publicBody, codes[0] ?? '', word);
  for (const rule of invalidCredential) {
    const isMatch = refusesCredential({ ...errors, invalidCredential: [rule] }, status, body);
    if (isMatch) setAt(publicBody, rule.pointer, rule.contains);
  }
  return publicBody;
}

function setAt(target: Record<string, unknown>, pointer: string, value: unknown): void {
  const [token = '', ...rest] = parsePointer(pointer);
  const inner = isObject(target[token]) ? { ...target[token] } : {};
  if (rest.length > 0) setAt(inner, toPointer(rest), value);
  target[token] = rest.length === 0 ? value : inner;
}

function explainOpaque({ connector, tool }: CalledTool, status: number): ExplainedError {
  const effectText = tool.annotations.readOnlyHint ? '' : ' The call itself took effect.';
  return explain('upstream_invalid_answer', {
    message: `${connector.title} answered ${status}, but in a form from which the gateway cannot take what must not leave it.${effectText}`,
    advice: 'Calling again will not help: do without this answer, or tell the user.',
    status,
  });
}
