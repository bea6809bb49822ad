/** The text of `npm start -- --help`. */

import { describeVariables } from './config.ts';
import type { Connector } from './contract/index.ts';

const WIDTH = 100;
const INDENT = '      ';

/** Usage, and every variable with its default and meaning. */
export function formatHelp(connectors: readonly Connector[]): string {
  const variables = describeVariables(connectors).map(
    ({ name, default: value, meaning }) => `  ${name}  (default: ${value})\n${wrap(meaning)}`,
  );
  return [
    'Usage: npm start',
    '',
    'Serves the tools of the connected services to MCP clients. Settings are environment variables;',
    'one that is empty counts as not set.',
    '',
    ...variables,
  ].join('\n');
}

function wrap(text: string): string {
  const lines: string[] = [];
  let line = INDENT;
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > WIDTH && line !== INDENT) {
      lines.push(line);
      line = INDENT;
    }
    line += line === INDENT ? word : ` ${word}`;
  }
  return [...lines, line].join('\n');
}
