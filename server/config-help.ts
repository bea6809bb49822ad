/** The settings, as `npm start -- --help` prints them. */

import { describeVariables } from './config.ts';
import type { Connector } from './contract/index.ts';

const WIDTH = 100;
const INDENT = '      ';

/** Every variable with its default and meaning. */
export function formatSettings(connectors: readonly Connector[]): string {
  const variables = describeVariables(connectors).map(
    ({ name, default: value, meaning }) => `  ${name}  (default: ${value})\n${wrap(meaning)}`,
  );
  return ['Settings are environment variables; one that is empty counts as not set:', '', ...variables].join('\n');
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
