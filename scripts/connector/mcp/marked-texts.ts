/** Texts of an MCP server that a reviewer should read before a model does. */

import { isRecord } from '../../../codegen/json.ts';
import { findSuspiciousText } from '../../../codegen/report/suspicious-text.ts';
import { toShortText } from '../../../codegen/tools/words/texts.ts';
import { quoteText } from '../../../shared/invisible.ts';
import { definitionDigest, type McpLock, type McpTool } from '../../../shared/mcp/lock.ts';

const MAX_LINES = 20;
const MAX_EXCERPT_CHARS = 120;

/**
 * Lists texts that address a model, hide characters, or name an address or another tool; empty if there are none.
 *
 * @param before the lock that was reviewed: what is the same there is left out. Default: none.
 */
export function formatMarkedTexts({ tools, instructions }: McpLock, before?: McpLock): string {
  const reviewed = new Set(before?.tools.map(definitionDigest));
  const names = tools.map(({ name }) => name).filter((name) => /[_.-]/.test(name));
  const lines = [
    ...marksOf(instructions === undefined || instructions === before?.instructions ? [] : [instructions], []).map(
      (mark) => `  instructions: ${mark}\n`,
    ),
    ...tools.flatMap((tool) => {
      if (reviewed.has(definitionDigest(tool))) return [];
      const otherNames = names.filter((name) => name !== tool.name);
      return marksOf(textsOf(tool), otherNames).map((mark) => `  ${quoteText(tool.name)}: ${mark}\n`);
    }),
  ];
  if (lines.length === 0) return '';
  const more = lines.length > MAX_LINES ? `  and ${lines.length - MAX_LINES} more\n` : '';
  return `\nTexts of the server to read before a model does (${lines.length}). Write others in connector.yaml where they mislead:\n${lines.slice(0, MAX_LINES).join('')}${more}`;
}

const TITLES = {
  'introduces-url': 'an address',
  'introduces-instruction': 'speaks to a model',
  'introduces-hidden-characters': 'hidden characters',
} as const;

function marksOf(texts: readonly string[], otherNames: readonly string[]): readonly string[] {
  const marks = texts.flatMap((text) => [
    ...findSuspiciousText(text).map(({ rule, excerpt }) => {
      return `${TITLES[rule as keyof typeof TITLES] ?? rule}: ${quoteText(toShortText(excerpt, MAX_EXCERPT_CHARS))}`;
    }),
    ...otherNames.filter((name) => hasWord(text, name)).map((name) => `names the tool ${quoteText(name)}`),
  ]);
  return [...new Set(marks)];
}

function hasWord(text: string, word: string): boolean {
  const at = text.indexOf(word);
  if (at < 0) return false;
  return !/\w/.test(text[at - 1] ?? '') && !/\w/.test(text[at + word.length] ?? '');
}

/** Every text in a tool: its own, and all that its schemas hold, with the names of arguments. */
function textsOf(tool: McpTool): readonly string[] {
  const { name: _, annotations, ...rest } = tool;
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isRecord(value))
      for (const [key, member] of Object.entries(value)) {
        // Addresses of schemas and comments, which no model reads. A property may have such a name too.
        if (key.startsWith('$') && typeof member === 'string') continue;
        visit(key);
        visit(member);
      }
  };
  visit([rest.title, rest.description, annotations?.title, rest.inputSchema, rest.outputSchema]);
  return texts;
}
