import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import type { Tool, ToolHints } from '../../server/contract/index.ts';

const PINNED: unknown = parse(readFileSync(path.join(import.meta.dirname, 'tools.yaml'), 'utf8'));

const effectOf = (hints: ToolHints): string =>
  `${hints.readOnlyHint ? 'reads' : hints.destructiveHint ? 'destroys' : 'writes'}${hints.idempotentHint ? ' idempotent' : ''}`;

function argumentsOf({ inputSchema }: Tool): string {
  const required = inputSchema.required as readonly string[];
  return Object.keys(inputSchema.properties as object)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(' ');
}

test('the tools that agents depend on keep their names, effects, calls and arguments', async () => {
  const tools = (await loadConnectors()).flatMap((connector) => connector.tools);
  const surface = tools.map((tool) => [
    tool.name,
    {
      effect: effectOf(tool.annotations),
      call: `${tool.operation.method} ${tool.operation.path}`,
      arguments: argumentsOf(tool),
    },
  ]);
  expect(Object.fromEntries(surface)).toEqual(PINNED);
});
