/** Puts one sentence in place of the issues with which the SDK describes faulty parameters. */

import { parseRawNumbers } from '../../../shared/exact-json.ts';
import { INVALID_PARAMS } from './json-rpc.ts';

/**
 * Returns an answer of the SDK, with plain errors. To a faulty member of the parameters the SDK answers with the issues of its schema, as JSON,
 * and sometimes as an internal error. Clients get the code of invalid parameters, and one sentence.
 */
export async function withPlainErrors(answer: Response): Promise<Response> {
  const { status, headers } = answer;
  if (!headers.get('content-type')?.startsWith('application/json')) return answer;
  const text = await answer.text();
  if (!text.includes(ISSUE_MARK)) return new Response(text, { status, headers });
  const body = parseRawNumbers(text);
  const plain = Array.isArray(body) ? body.map(withPlainError) : withPlainError(body);
  return new Response(JSON.stringify(plain), { status, headers });
}

/** In the text of every answer that holds issues. */
const ISSUE_MARK = '\\"path\\"';
const ISSUES = /^(?:Invalid \S+ request: )?(\[\s*\{.*\])$/s;

function withPlainError(message: unknown): unknown {
  const { error, ...otherMembers } = message as { readonly error?: { readonly message?: unknown } };
  const [, issues] = ISSUES.exec(String(error?.message)) ?? [];
  if (issues === undefined) return message;
  const [{ path, message: problem }] = JSON.parse(issues) as [{ path: string[]; message: string }];
  const name = path.slice(path[0] === 'params' ? 1 : 0).join('.');
  const [, expected = '', received = ''] = /expected (\S+), received (\S+)/.exec(problem) ?? [];
  const kind = expected === 'record' ? 'object' : expected;
  const subject = name === '' ? 'params' : JSON.stringify(name);
  const clause = describeMismatch(received, kind);
  return { ...otherMembers, error: { code: INVALID_PARAMS, message: `Invalid params: ${subject} ${clause}.` } };
}

function describeMismatch(received: string, expectedKind: string): string {
  if (received === 'undefined') return 'is missing';
  return expectedKind === '' ? 'is invalid' : `is ${received}, and must be ${expectedKind}`;
}
