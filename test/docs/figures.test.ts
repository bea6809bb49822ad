import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createTokenCounter } from '../../codegen/emit/tool-size.ts';
import type { CatalogueMode } from '../../server/base/principal/permission.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

vi.setConfig({ testTimeout: 60_000 });

const ROOT = path.resolve(import.meta.dirname, '../..');
const WORDS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'];
const MODES: readonly CatalogueMode[] = ['lean', 'full', 'compact', 'search'];
const read = (file: string) => readFile(path.join(ROOT, file), 'utf8');

const connectors = await loadConnectors();
const toolCount = connectors.reduce((sum, { tools, handWritten = [] }) => sum + tools.length + handWritten.length, 0);

test('README.md says how many connectors and tools are included', async () => {
  expect(await read('README.md')).toContain(`${WORDS[connectors.length]} connectors with ${toolCount} tools`);
});

test('the sample of evals has as many tools as the repository', async () => {
  expect(await read('docs/guides/evals.md')).toContain(`${toolCount} tools of the working tree`);
});

interface ListedTool {
  readonly _meta?: object;
}

describe('tokens of lists', async () => {
  const modes = await read('docs/reference/catalogue-modes.md');
  const [, tools, ...tokens] = (/^\| the five connectors \|.+$/m.exec(modes)?.[0] ?? '')
    .split('|')
    .slice(1, -1)
    .map(toNumber);
  const count = await createTokenCounter();
  let gateway: RunningGateway | undefined;
  afterEach(() => gateway?.close());

  async function listTools(mode: CatalogueMode, services = connectors): Promise<ListedTool[]> {
    gateway = await startGateway({ connectors: services, secretOf: () => 'key', env: { CATALOGUE_MODE: mode } });
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${gateway.token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });
    const { result } = JSON.parse((await response.text()).replace(/^[\s\S]*?data: /, ''));
    return result.tools;
  }

  const sizeOf = (listed: readonly ListedTool[]) => listed.reduce((sum, { _meta, ...read }) => sum + count(read), 0);

  test('are of the included tools', () => {
    expect(tools).toBe(toolCount);
  });

  test.each(MODES.map((mode, index) => [mode, index] as const))('are those of the mode %s', async (mode, index) => {
    expect(tokens[index]).toSatisfy(isNear(sizeOf(await listTools(mode))));
  });

  test('are those of crm alone', async () => {
    const crm = connectors.filter(({ name }) => name === 'crm');
    const written = /gets crm alone: about ([\d,]+) tokens/.exec(modes)?.[1];
    expect(toNumber(written)).toSatisfy(isNear(sizeOf(await listTools('lean', crm))));
  });
});

function toNumber(text = ''): number {
  return Number(text.replaceAll(',', ''));
}

function isNear(measured: number) {
  return (written: number) => Math.abs(written - measured) <= measured * 0.03;
}
