/** Says which argument a request could not carry: its schema allows the value, its place on the wire does not. */

import { UnsendableError } from '../../upstream/index.ts';
import { type ExplainedError, explain } from '../results/errors.ts';
import type { CalledTool } from '../results/upstream-errors.ts';
import type { Arguments } from './heal.ts';

const PLACES = {
  path: 'path parameter',
  query: 'query parameter',
  header: 'header',
  cookie: 'cookie',
  body: 'part',
} as const;

/** Not a tab, visible ASCII, a space or Latin-1: what no header carries (RFC 9110 §5.5). */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/;
const MAX_DEPTH = 64;

/** Explains a call that failed before anything was sent. */
export function explainUnsendable({ tool, args }: CalledTool, error: unknown): ExplainedError {
  const message = `The arguments of ${tool.name} cannot be sent. ${toSentence(args, error)}`;
  return explain('invalid_arguments', { message, advice: 'Correct the arguments, then call again.' });
}

function toSentence(args: Arguments, error: unknown): string {
  if (error instanceof UnsendableError) return ofParameter(args, error);
  const names = Object.keys(args);
  const broken = names.filter((name) => holdsHalfPair(args[name]));
  if (broken.length > 0) return `${listed(broken)} holds half of a surrogate pair, which is no text.`;
  const unfit = names.filter((name) => typeof args[name] === 'string' && NOT_IN_HEADERS.test(String(args[name])));
  if (unfit.length === 0) return 'One of them holds a text that no URL and no header can carry.';
  const subject = unfit.length === 1 ? listed(unfit) : `One of ${unfit.map((name) => `"${name}"`).join(', ')}`;
  return `${subject} is sent in a header, which can hold no line break, no control character and nothing beyond Latin-1.`;
}

/** Names the argument where exactly one has the value; else the parameter. */
function ofParameter(args: Arguments, { place, parameter, problem, value }: UnsendableError): string {
  const names = Object.keys(args).filter((name) => args[name] === value);
  const as = `the ${PLACES[place]} ${JSON.stringify(parameter)}`;
  return names.length === 1 ? `"${names[0]}" cannot be ${as}: ${problem}.` : `It cannot be ${as}: ${problem}.`;
}

function listed(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(' or ');
}

function holdsHalfPair(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  return Object.entries(value).some(([key, member]) => !key.isWellFormed() || holdsHalfPair(member, depth + 1));
}
