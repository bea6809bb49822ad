/** Pages of a list of tools that the client of MCP refuses as a whole, because one tool of them has a wrong member. */

import { createParser } from 'eventsource-parser';

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads the page that the client refused.
 *
 * @param answer of the server: a message, or a stream of events. @throws the error of the client if there is no page in it.
 */
export function readRefusedPage(error: unknown, answer: string): Members {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'INVALID_RESULT') throw error;
  const pages = messagesOf(answer).flatMap(({ result }) => (isPage(result) ? [result] : []));
  const page = pages.at(-1);
  if (page === undefined) throw error;
  return page;
}

/** The client has read each message before it refused the list, so all of them are JSON. */
function messagesOf(answer: string): readonly Members[] {
  if (/^\s*[[{]/.test(answer)) return [JSON.parse(answer)].flat();
  const messages: Members[] = [];
  createParser({ onEvent: ({ data }) => messages.push(JSON.parse(data)) }).feed(`${answer}\n\n`);
  return messages;
}

function isPage(result: unknown): result is Members {
  return typeof result === 'object' && result !== null && 'tools' in result && Array.isArray(result.tools);
}
