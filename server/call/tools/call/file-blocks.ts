/** The blocks of a result that hold files: those that an MCP server sends next to its answer, and handles in place of large ones. */

import { isHandWritten } from '../catalogue/permitted.ts';
import { bytesOf, contentOf, storeFile } from '../files/handles.ts';
import { isObject } from '../json.ts';
import type { ContentBlock } from '../provider.ts';
import { escapeTags, redacted } from '../results/errors.ts';
import { readFileFacts } from '../results/file-facts.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { CallDependencies } from './dependencies.ts';
import type { AuthorizedCall, Call, MaybeSent } from './state.ts';

/** Adds the images, recordings, files and links that an MCP server sent next to its answer. */
export function withFileBlocks(call: Call & MaybeSent & Partial<AuthorizedCall>, outcome: CallOutcome): CallOutcome {
  const { answer, redactor, entry } = call;
  const blocks = answer?.mcp?.blocks ?? [];
  if (outcome.outcome !== 'ok' || blocks.length === 0 || redactor === undefined || isHandWritten(entry.tool)) {
    return outcome;
  }
  const cleaned = blocks.map((block) => cleanBlock(block, redactor));
  const result = { ...outcome.result, content: [...outcome.result.content, ...cleaned] };
  return { ...outcome, result, resultBytes: outcome.resultBytes + Buffer.byteLength(JSON.stringify(cleaned)) };
}

/** Redacts the credential, also inside of files, and makes invisible characters visible. */
function cleanBlock(block: ContentBlock, redactor: AuthorizedCall['redactor']): ContentBlock {
  const members = Object.entries(block).map(([name, value]) => {
    if (isObject(value)) return [name, cleanBlock(value as ContentBlock, redactor)];
    if ((name === 'data' || name === 'blob') && typeof value === 'string') {
      return [name, Buffer.from(redactor.bytes(Buffer.from(value, 'base64'))).toString('base64')];
    }
    return [name, typeof value === 'string' ? escapeTags(redactor.text(value)) : redacted(value, redactor)];
  });
  return Object.fromEntries(members);
}

/**
 * Keeps the large files of an answer, and puts a handle in the place of each. An image or a recording, which models see or hear, stays next to
 * its handle. A file that cannot be kept stays in the answer.
 *
 * @returns null if the answer stays as it is.
 */
export function storeLargeFiles(
  call: AuthorizedCall & MaybeSent,
  outcome: CallOutcome,
  deps: CallDependencies,
): null | Promise<CallOutcome> {
  const { files } = deps;
  if (outcome.error !== null || files === undefined) return null;
  const isLarge = (block: ContentBlock) => {
    const content = block.type === 'text' ? null : contentOf(block);
    return content !== null && bytesOf(content.data) > files.inlineBytes;
  };
  return outcome.result.content.some(isLarge) ? storeFiles(call, outcome, deps, isLarge) : null;
}

async function storeFiles(
  call: AuthorizedCall & MaybeSent,
  outcome: CallOutcome,
  deps: CallDependencies,
  isLarge: (block: ContentBlock) => boolean,
): Promise<CallOutcome> {
  const { principal, entry, answer, redactor } = call;
  const { files } = deps;
  if (files === undefined) return outcome;
  const content: ContentBlock[] = [];
  let { structuredContent } = outcome.result;
  for (const [index, block] of outcome.result.content.entries()) {
    const file = isLarge(block) ? contentOf(block) : null;
    if (file === null) {
      content.push(block);
      continue;
    }
    // Only the first block is the answer itself, whose header names the file.
    const name = answer === undefined || index > 0 ? null : readFileFacts(answer, redactor).name;
    try {
      const { structuredFile: facts, blocks } = await storeFile(
        principal,
        { ...file, name },
        { files, now: deps.now() },
      );
      if (block.type !== 'resource') content.push(block);
      content.push(...blocks);
      if (index === 0) structuredContent = deps.validators(entry.tool.outputSchema).accepts(facts) ? facts : {};
    } catch (error) {
      deps.onFault({ kind: 'unexpected', tool: entry.tool.name, error });
      content.push(block);
    }
  }
  const resultBytes = content.reduce((sum, { text, data }) => sum + Buffer.byteLength(String(text ?? data ?? '')), 0);
  const result = { ...outcome.result, content };
  if (structuredContent !== undefined) result.structuredContent = structuredContent;
  return { ...outcome, result, resultBytes };
}
