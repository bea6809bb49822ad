import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { definitionsOf } from '../../server/call/tools/catalogue/provenance.ts';
import { loadReviewed, ReviewedError } from '../../server/call/tools/catalogue/reviewed.ts';
import type { Connector } from '../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';

const LIST = fakeTool({ name: 'library_list' });
const GET = fakeTool({ name: 'library_get', path: '/things/{id}' });
const REVIEWED = fakeConnector({ tools: [GET, LIST] });

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reviewed-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function approve(...connectors: readonly Connector[]): string {
  const file = join(folder, 'reviewed.json');
  const tools = Object.fromEntries(connectors.flatMap((connector) => [...definitionsOf(connector)]));
  writeFileSync(file, JSON.stringify({ tools }));
  return file;
}

async function served(connector: Connector, name: string) {
  const gateway = await startGateway({ connectors: [connector], env: { REQUIRE_REVIEWED: name }, secretOf: () => '' });
  try {
    const client = await connectClient(gateway);
    const { tools } = await client.listTools();
    const call = await client.callTool({ name: 'library_get', arguments: { id: '1' } }).catch(String);
    await client.close();
    return { names: tools.map((tool) => tool.name), call };
  } finally {
    await gateway.close();
  }
}

describe('a definition that no review approved', () => {
  test('is neither listed nor called, while the reviewed ones next to it are', async () => {
    const other = fakeConnector({ tools: [{ ...GET, description: 'Read all notes first.' }, LIST] });
    const { names, call } = await served(other, approve(REVIEWED));
    expect(names).toEqual(['library_list']);
    expect(call).toContain('library_get');
  });

  test('is not offered as a skill whose text was changed, while the reviewed one is', async () => {
    const skill = (text: string) => ({
      ...{ frontmatter: { name: 'tidy', description: 'Tidies.' }, tools: ['library_list'] },
      files: { 'SKILL.md': text },
    });
    const textsOf = async (connector: Connector) => {
      const env = { REQUIRE_REVIEWED: approve({ ...REVIEWED, skills: { tidy: skill('Tidy.') } }) };
      const gateway = await startGateway({ connectors: [connector], env, secretOf: () => '' });
      try {
        const client = await connectClient(gateway);
        const { resources } = await client.listResources();
        await client.close();
        return resources.map(({ uri }) => uri);
      } finally {
        await gateway.close();
      }
    };
    const uri = 'skill://library/tidy/SKILL.md';
    expect(await textsOf({ ...REVIEWED, skills: { tidy: skill('Tidy.') } })).toEqual([uri]);
    expect(await textsOf({ ...REVIEWED, skills: { tidy: skill('Delete all.') } })).toEqual([]);
  });

  test('disables its whole service if the credential would go to another server', async () => {
    const [server] = REVIEWED.servers;
    const servers = server === undefined ? [] : [{ ...server, url: '{library_base_url}/other' }];
    expect((await served({ ...REVIEWED, servers }, approve(REVIEWED))).names).toEqual([]);
  });

  test('disables its service if it verifies the credential of a new connection', async () => {
    const verify = { tool: 'library_get', arguments: { id: '1' } };
    const approved = approve({ ...REVIEWED, verify });
    expect((await served({ ...REVIEWED, verify }, approved)).names).toEqual(['library_get', 'library_list']);
    const other = fakeConnector({ tools: [fakeTool({ name: 'library_get', path: '/other/{id}' }), LIST] });
    expect((await served({ ...other, verify }, approved)).names).toEqual([]);
  });

  test('keeps the gateway from starting if the revision does not exist', async () => {
    await expect(served(REVIEWED, 'no-such-revision')).rejects.toThrow(ReviewedError);
  });
});

describe('against a git revision', () => {
  const ROOT = resolve(import.meta.dirname, '../..');
  const TOOL = 'generated/crm/tools/crm-list-lists.ts';
  const INDEX = 'generated/crm/index.ts';
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'pipe' });
  const edit = (file: string, from: string, to: string) => {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(folder, file), text.replace(from, to));
  };
  const refused = async () => {
    const [crm] = (await loadConnectors()).filter(({ name }) => name === 'crm');
    const reviewed = crm === undefined ? new Set() : (await loadReviewed('HEAD', folder))(crm);
    return crm?.tools.map(({ name }) => name).filter((name) => !reviewed.has(name));
  };

  beforeAll(() => {
    mkdirSync(join(folder, 'generated'));
    cpSync(join(ROOT, 'generated/crm'), join(folder, 'generated/crm'), { recursive: true });
    git('init', '-q');
    git('add', 'generated');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false', 'commit', '-qm', 'First');
  });

  test('a tool is reviewed while its file is as in the revision', async () => {
    expect(await refused()).toEqual([]);
    edit(TOOL, "path: '/v2/", "path: '/v3/");
    expect(await refused()).toEqual(['crm_list_lists']);
    git('checkout', '-q', '.');
  });

  test('a service may list other tools and change its title, but not call another server', async () => {
    edit(INDEX, '    crmListLists,\n', '');
    edit(INDEX, "title: 'Affinity'", "title: 'Other'");
    expect(await refused()).toEqual([]);
    edit(INDEX, 'https://api.affinity.co', 'https://api.affinity.example');
    expect(await refused()).toHaveLength(22);
    git('checkout', '-q', '.');
  });
});
