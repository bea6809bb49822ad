/** Answers of upstreams as they travel between threads. */

import type { Connector, Tool } from '../../../contract/index.ts';
import type { UpstreamAnswer } from '../../upstream/index.ts';

/** An answer without functions. */
export interface CopiedAnswer {
  readonly status: number;
  /** Headers that the gateway reads, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly cutBy: UpstreamAnswer['cutBy'];
}

const READ_HEADERS = [
  'azure-asyncoperation',
  'content-type',
  'content-disposition',
  'content-range',
  'content-location',
  'etag',
  'link',
  'location',
  'operation-location',
  'retry-after',
];

/** Copies an answer, with the headers that the stages of a call of this tool read. */
export function copyAnswer(
  answer: UpstreamAnswer,
  { connector, tool }: { readonly connector: Connector; readonly tool: Tool },
): CopiedAnswer {
  const ofPage = tool.page?.kind === 'header' ? [tool.page.header] : [];
  const ofLimits = (connector.rateLimitHeaders ?? []).flatMap(({ remaining, reset }) => [remaining, reset]);
  const headers: Record<string, string> = {};
  for (const name of [...READ_HEADERS, ...ofPage, ...ofLimits]) {
    const value = name === undefined ? null : answer.header(name);
    if (name !== undefined && value !== null) headers[name] = value;
  }
  // A body may be a part of a larger buffer, which would be cloned with it.
  return { status: answer.status, headers, body: new Uint8Array(answer.body), cutBy: answer.cutBy };
}

/** Opens a copy in the thread that got it. */
export function openAnswer({ status, headers, body, cutBy }: CopiedAnswer): UpstreamAnswer {
  const answer = {
    status,
    header: (name: string) => (Object.hasOwn(headers, name) ? (headers[name] ?? null) : null),
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
  };
  return cutBy === undefined ? answer : { ...answer, cutBy };
}
